"""Values by name → rows of features, in the columns that the model learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.errors import InputError
from lsgnn.graph.feature_names import IS, categories_of
from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.shown import short
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.serving.new_node import NewNode

LARGEST = float(np.finfo(np.float32).max)


def feature_reader(graph: Graph) -> FeatureReader:
    """Reads features as those of the graph were made."""
    plan = graph.columns  # of a graph that came from a table
    if not plan:
        return FeatureReader(graph)
    from lsgnn.serving.planned_features import PlannedFeatures

    return PlannedFeatures(graph, plan)


class FeatureReader:
    """Reads the features of new nodes of one graph.

    Columns without names are called by their numbers, "0", "1", …. Where the graph's own table is mostly zero (words,
    codes), what a node does not name is zero; elsewhere every column must be named.
    """

    def __init__(self, graph: Graph) -> None:
        self.width = graph.num_features
        self.columns = graph.feature_names or tuple(map(str, range(self.width)))
        self.names = self.columns  # what clients may name
        self.is_sparse = self.may_be_left_out = bool(sp.issparse(sparse_if_mostly_zero(graph.x)))
        self._column = {name: column for column, name in enumerate(self.columns)}
        self._categories = set(categories_of(graph.feature_names))
        self._plain = [name for name in self.columns if name.partition(IS)[0] not in self._categories]

    def read(self, nodes: Sequence[NewNode]) -> tuple[Features, list[str]]:
        """Features [m, d] of the nodes, and notes on values that are new to the model."""
        notes: list[str] = []
        found = [self._row(node, notes) for node in nodes]
        rows = np.repeat(np.arange(len(nodes)), [len(columns) for columns, _ in found])
        columns = np.array([column for own, _ in found for column in own], np.int64)
        values = np.array([value for _, own in found for value in own], np.float32)
        x = sp.csr_array((values, (rows, columns)), shape=(len(nodes), self.width))
        return (x if self.is_sparse else x.toarray()), list(dict.fromkeys(notes))

    def _row(self, node: NewNode, notes: list[str]) -> tuple[Sequence[int], Sequence[float]]:
        """Columns and values that are not zero."""
        given = node.features
        if not isinstance(given, Mapping):
            if len(given) != self.width:
                raise InputError(
                    f"node {short(node.id)} has {len(given)} features, but the model learned from {self.width}: pass "
                    "all in their order, or name some"
                )
            given = dict(zip(self.columns, given, strict=True))
        row: dict[int, float] = {}
        for name, value in given.items():
            if value is None:
                continue
            if name in self._categories and not (name in self._column and _is_number(value)):
                self._set_category(row, name, value, notes)
                continue
            if name not in self._column:
                raise InputError(f"the model learned from no feature {short(name)}: {self._hint(name)}")
            row[self._column[name]] = _number(node, name, value)
        if not self.is_sparse:
            self._require_all(node, given)
        kept = {column: value for column, value in row.items() if value != 0}
        return list(kept), list(kept.values())

    def _set_category(self, row: dict[int, float], name: str, value: Any, notes: list[str]) -> None:
        text = _spelling(value)
        column = self._column.get(f"{name}{IS}{text}")
        if column is None:
            notes.append(f"{short(text)} in {short(name)} is new to the model: it counts as none")
        else:
            row[column] = 1.0

    def _require_all(self, node: NewNode, given: Mapping[str, Any]) -> None:
        for name in self._plain:
            if given.get(name) is None:
                raise InputError(
                    f"node {short(node.id)} has no feature {short(name)}, which the model learned from: add it"
                )
        said = {name.partition(IS)[0] for name in given}
        if absent := sorted(self._categories - said):
            raise InputError(
                f"node {short(node.id)} has no feature {short(absent[0])}, which the model learned from: add it"
            )

    def _hint(self, name: str) -> str:
        near = get_close_matches(name[:100], self.columns[:5000], n=1)
        return f"is {near[0]!r} meant?" if near else f"they look like {', '.join(map(short, self.columns[:3]))}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _number(node: NewNode, name: str, value: Any) -> float:
    if not _is_number(value) or not abs(value) <= LARGEST:
        raise InputError(
            f"feature {short(name)} of node {short(node.id)} is {short(value)}, but it must be a number that fits a "
            "float32: mend it"
        )
    return float(value)


def _spelling(value: Any) -> str:
    """A category's value as tables spell it: 3.0 is 3, True is true."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
