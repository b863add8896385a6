"""Features of new nodes whose graph came from a table: the run's own transformers make them, as in training."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from lsgnn.errors import InputError, LSGNNWarning
from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.shown import short
from lsgnn.serving.feature_reader import FeatureReader
from lsgnn.serving.new_node import NewNode

WHERE = "the request"


class PlannedFeatures(FeatureReader):
    """Values are named by the columns of the table, and are what its cells would hold; missing ones are imputed.

    A list of numbers is taken for what the transformers have made already.
    """

    def __init__(self, graph: Graph, plan: Any) -> None:
        super().__init__(graph)
        self._plan = plan
        self._ignored = {name for name, _ in plan.left_out}
        self.names = tuple(plan.names)
        self.may_be_left_out = True

    def read(self, nodes: Sequence[NewNode]) -> tuple[Features, list[str]]:
        named = [node.features for node in nodes if isinstance(node.features, Mapping)]
        if len(named) < len(nodes):
            if named:
                raise InputError(
                    "some nodes name their features and others list them: do the same for all of a request"
                )
            return super().read(nodes)
        for given in named:
            self._require_known(given)
        return self._applied(named)

    def _require_known(self, given: Mapping[str, Any]) -> None:
        for name in given:
            if name not in self.names and name not in self._ignored:
                near = get_close_matches(name[:100], self.names, n=1)
                hint = f"is {near[0]!r} meant?" if near else f"its columns are {', '.join(map(short, self.names[:10]))}"
                raise InputError(f"the model learned from no column {short(name)}: {hint}")

    def _applied(self, rows: Sequence[Mapping[str, Any]]) -> tuple[Features, list[str]]:
        import pyarrow as pa

        from lsgnn.graph.io.open_table import Source

        columns = {name: [row.get(name) for row in rows] for name in self.names}
        notes = [
            f"{short(name)} is missing in {count} node(s): filled in as in training"
            for name, values in columns.items()
            if (count := sum(value is None for value in values))
        ]
        table = pa.table({name: _cells(name, values) for name, values in columns.items()})
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", LSGNNWarning)
            x = self._plan.apply(table, Source(table, WHERE, table.column_names))
        return x, notes + [str(one.message) for one in told if issubclass(one.category, LSGNNWarning)]


def _cells(name: str, values: list[Any]) -> Any:
    """A column of an Arrow table: numbers, lists of numbers, or else text."""
    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if dict in kinds or (list in kinds and len(kinds) > 1):
        raise InputError(f"{short(name)} holds an object, or lists beside other values: pass values of one kind")
    try:
        if kinds == {bool}:
            return pa.array(values, pa.bool_())
        if kinds and kinds <= {int, float}:
            return pa.array([None if value is None else float(value) for value in values], pa.float64())
        if kinds == {list}:
            return pa.array(values, pa.list_(pa.float64()))
        return pa.array([None if value is None else _text(value) for value in values], pa.large_string())
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{short(name)} cannot be read ({' '.join(str(error).split())[:100]}): mend it") from error


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
