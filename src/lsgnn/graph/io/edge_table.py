"""The rows of an edge table: ends, weights, and where each stands in its file. For `read_tables` and new nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io import columns
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.shown import listed, short


@dataclass(frozen=True, eq=False)
class EdgeRows:
    """The edges of a table, those of weight 0 left out.

    Args:
        sources, targets: ids of the ends [E], as Arrow has them.
        weight: positive weights [E], if there are some.
        source: the table; it still knows the line of each edge.
        notes: what was left out.
    """

    sources: Any
    targets: Any
    weight: NDArray[np.float32] | None
    source: Source
    notes: tuple[str, ...] = ()

    @classmethod
    def read(cls, table: Source, ends: tuple[str, str], weight: str | None) -> EdgeRows:
        rows = table.read(text=ends)
        sources, targets = columns.comparable(*(columns.ids(rows, end, table) for end in ends))
        if weight is None:
            return cls(sources, targets, None, table)
        weights = columns.numbers(rows, weight, table)
        if (weights < 0).any():
            row = int((weights < 0).argmax())
            raise InputError(
                f"{table.at(row)} has the weight {weights[row]:g} in {weight!r}, but weights are positive: mend it, or "
                "drop the edge"
            )
        keep = weights > 0
        if keep.all():
            return cls(sources, targets, weights, table)
        note = (
            f"{int((~keep).sum())} edge(s) of weight 0 dropped, the first in {table.at(int(keep.argmin()))}: a weight "
            "of 0 says that nothing passes between two nodes; give such an edge a small weight to keep it"
        )
        left = np.flatnonzero(keep)
        return cls(pc.take(sources, left), pc.take(targets, left), weights[left], table.with_rows(left), (note,))


def edge_columns(
    edges: Source, source: str | None, target: str | None, weight: str | None
) -> tuple[tuple[str, str], str | None]:
    """(source, target) and weight: the named ones, else the usual names, else the first two."""
    weight = edges.require(weight, "weight") if weight is not None else edges.find("weight")
    source = edges.require(source, "source") if source is not None else edges.find("source", "src")
    target = edges.require(target, "target") if target is not None else edges.find("target", "dst")
    others = [name for name in edges.names if name not in (source, target, weight)]
    if others and source is None:
        source = others.pop(0)
    if others and target is None:
        target = others.pop(0)
    if source is None or target is None:
        raise InputError(
            f"{edges.title} has the column(s) {listed(edges.names)}, but an edge needs a source and a target: "
            f"pass two columns{edges.separated}"
        )
    if source == target:
        raise InputError(f"source and target are both column {source!r} of {edges.title}: name two different columns")
    if edges.is_text and source.isdecimal() and target.isdecimal():
        raise no_header(edges, f"{source},{target}", "source,target")
    return (source, target), weight


def no_header(table: Source, first: str, header: str) -> InputError:
    return InputError(
        f"{table.title} starts with {short(first)}, which looks like data, but the first line names the columns: "
        f"put a line such as {header!r} above it"
    )
