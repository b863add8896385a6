"""Columns of a node table on disk → features, some rows at a time, by the transformers of tables in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.roles import Role
from lsgnn.graph.io.transformers.fit_plan import Missing, fit_plan
from lsgnn.graph.io.transformers.plan import ColumnPlan
from lsgnn.graph.validate import Features
from lsgnn.out_of_core.parquet_rows import ParquetRows


def fit_columns(
    nodes: ParquetRows,
    names: Sequence[str],
    source: Source,
    *,
    roles: Mapping[str, Role],
    listed: Any,
    missing: Missing,
) -> tuple[ColumnPlan, list[str]]:
    """The plan of `fit_plan`, with one column in memory at a time, so that a single pass over the files serves all."""
    plans, notes = [], list[str]()
    for name in names:
        told, column = {name: roles[name]} if name in roles else {}, nodes.column(name)
        plan, told_notes = fit_plan(column, [name], source, roles=told, listed=listed, missing=missing)
        plans.append(plan)
        notes += told_notes
    transformers = tuple(transformer for plan in plans for transformer in plan.transformers)
    return ColumnPlan(transformers, tuple(pair for plan in plans for pair in plan.left_out)), notes


@dataclass(frozen=True, eq=False)
class TableFeatures:
    """x [n, d] of Parquet files, of which `x[first:last]` is made when it is asked for."""

    nodes: ParquetRows
    plan: ColumnPlan
    source: Source

    @property
    def shape(self) -> tuple[int, int]:
        return self.nodes.num_rows, len(self.plan.feature_names)

    def __getitem__(self, rows: slice) -> Features:
        start, stop, _ = rows.indices(self.shape[0])
        first = int(np.searchsorted(self.nodes.ends, start, side="right")) - 1
        last = max(first + 1, int(np.searchsorted(self.nodes.ends, stop, side="left")))
        parts = []
        for group in range(first, last):
            before = int(self.nodes.ends[group])
            parts.append(self._of_group(group)[max(start - before, 0) : stop - before])
        return parts[0] if len(parts) == 1 else _stacked(parts)

    def _of_group(self, group: int) -> Features:
        """The features of a row group; the last one is kept, because its rows are asked for a few at a time."""
        if group not in self._last:
            table = self.nodes.group(group, list(dict.fromkeys(self.plan.names)))
            self._last.clear()
            self._last[group] = self.plan.apply(table, self.source)
        return self._last[group]

    @cached_property
    def _last(self) -> dict[int, Features]:
        return {}


def _stacked(parts: list[Features]) -> Features:
    return sp.csr_array(sp.vstack(parts, format="csr")) if sp.issparse(parts[0]) else np.concatenate(parts)
