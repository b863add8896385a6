"""`ColumnPlan`: how the columns of a node table become x, in order; kept with the graph and saved with a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.columns import explaining
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.transformers.category import CategoryColumn
from lsgnn.graph.io.transformers.date import DateColumn
from lsgnn.graph.io.transformers.hashed import HashedColumn
from lsgnn.graph.io.transformers.number import NumberColumn
from lsgnn.graph.io.transformers.saved import count
from lsgnn.graph.io.transformers.text import TextColumn
from lsgnn.graph.io.transformers.vector import VectorColumn
from lsgnn.graph.validate import Features

Transformer: TypeAlias = NumberColumn | VectorColumn | CategoryColumn | HashedColumn | DateColumn | TextColumn
KINDS: dict[str, type[Transformer]] = {
    "number": NumberColumn,
    "vector": VectorColumn,
    "category": CategoryColumn,
    "hashed": HashedColumn,
    "date": DateColumn,
    "text": TextColumn,
}
READ_AS_TEXT = (CategoryColumn, HashedColumn, TextColumn)  # so that 007 is not 7
ROWS_AT_ONCE = 1024  # of all columns: few enough to stay in the cache of a processor


@dataclass(frozen=True)
class ColumnPlan:
    """The transformers of a node table, and what else its tables are like.

    Args:
        transformers: one per column that is used, in the order of x.
        left_out: (column, role) of the others.
        places: the columns called id, label, source, target and weight, so that later tables need not name them.
    """

    transformers: tuple[Transformer, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    places: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        """Whether there is something to apply; tables without features have nothing."""
        return bool(self.transformers)

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(name for transformer in self.transformers for name in transformer.feature_names)

    @property
    def names(self) -> list[str]:
        """The columns that are read."""
        return [transformer.name for transformer in self.transformers]

    @property
    def text_columns(self) -> list[str]:
        return [transformer.name for transformer in self.transformers if isinstance(transformer, READ_AS_TEXT)]

    def with_places(self, places: Mapping[str, str | None]) -> ColumnPlan:
        return replace(self, places=tuple((what, name) for what, name in places.items() if name is not None))

    def place(self, what: str, source: Source) -> str | None:
        """The column that has this place, if the table has it."""
        name = dict(self.places).get(what)
        return name if name in source.names else None

    def apply(self, table: pa.Table, source: Source) -> Features:
        """x of the nodes of a table [n, d]; sparse if one of the columns is."""
        there = dict.fromkeys(table.column_names)
        if absent := [name for name in self.names if name not in there]:
            near = get_close_matches(absent[0], there, n=1)
            hint = f"is {near[0]!r} meant? Rename it" if near else "add it"
            raise InputError(
                f"{source.title} has no feature column {absent[0]!r}, which the model learned from: {hint}"
            )
        blocks = []
        for transformer in self.transformers:
            with explaining(table[transformer.name].type, transformer.name, source):
                blocks.append(transformer.apply(Cells.of(table, transformer.name, source)))
        if any(transformer.is_sparse for transformer in self.transformers):
            return sp.csr_array(sp.hstack([sp.csr_array(block) for block in blocks], format="csr"))
        return _side_by_side(blocks)

    def require_statistics_of(self, known: ColumnPlan, whose: str) -> None:
        """Raises where a column was made with medians, dates or words other than those of a known plan."""
        own = {transformer.name: transformer for transformer in self.transformers}
        for theirs in known.transformers:
            mine = own.get(theirs.name, theirs)
            if _statistics(mine) != _statistics(theirs) and not isinstance(mine, CategoryColumn | VectorColumn):
                raise InputError(
                    f"column {theirs.name!r} of {whose} was read with a median, dates or words of its own, not with "
                    "those that the model learned from: read the tables like the graph of the run (like=run.graph)"
                )

    def rows(self) -> list[dict[str, Any]]:
        """What each column was taken for: its name, its role, how many columns of x it became, and how."""
        used = [
            {"column": t.name, "role": t.role, "features": len(t.feature_names), "how": t.told}
            for t in self.transformers
        ]
        dropped = [{"column": name, "role": role, "features": 0, "how": "left out"} for name, role in self.left_out]
        return [*used, *dropped]

    def to_json(self) -> str:
        kinds = {kind: name for name, kind in KINDS.items()}
        return json.dumps(
            {
                "transformers": [{"kind": kinds[type(t)], **asdict(t)} for t in self.transformers],
                "left_out": self.left_out,
                "places": self.places,
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> ColumnPlan:
        """The plan in what `to_json` wrote; raises an `InputError` where something else is."""
        try:
            document = json.loads(text)
            made = tuple(KINDS[values["kind"]].from_dict(values) for values in document["transformers"])
            pairs = {key: _pairs(document[key]) for key in ("left_out", "places")}
            _require_text([transformer.name for transformer in made])
            count(sum(getattr(transformer, "buckets", getattr(transformer, "width", 0)) for transformer in made))
            return cls(made, pairs["left_out"], pairs["places"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            reason = " ".join(str(error).split())[:100]
            raise InputError(f"the transformers of columns are damaged ({reason}): restore them") from error


def _statistics(transformer: Transformer) -> Any:
    """What a column of x depends on beside its own cell."""
    match transformer:
        case NumberColumn(missing=0):
            return None
        case NumberColumn():
            return transformer.median
        case DateColumn():
            return transformer.newest, transformer.has_time, transformer.median if transformer.missing else None
        case HashedColumn():
            return transformer.buckets
        case _:
            return transformer


def _pairs(values: Any) -> tuple[tuple[str, str], ...]:
    pairs = tuple((first, second) for first, second in values)
    _require_text([text for pair in pairs for text in pair])
    return pairs


def _require_text(names: Sequence[Any]) -> None:
    if not all(isinstance(name, str) for name in names):
        raise TypeError("the name of a column is no text")


def _side_by_side(blocks: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Columns as one array, a few rows at a time: column by column, each number would be in another line of memory."""
    if len(blocks[0]) <= ROWS_AT_ONCE:
        return np.column_stack(blocks)
    starts = range(0, len(blocks[0]), ROWS_AT_ONCE)
    out = np.empty((len(blocks[0]), sum(block.shape[1] for block in blocks)), np.result_type(*blocks))
    for start in starts:
        rows = slice(start, start + ROWS_AT_ONCE)
        np.concatenate([block[rows] for block in blocks], axis=1, out=out[rows])
    return out
