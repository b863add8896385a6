"""Columns of a node table on disk → features, some rows at a time, by the transformers of tables in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.roles import Role
from lsgnn.graph.io.transformers.fit_plan import Missing, fit_plan
from lsgnn.graph.io.transformers.plan import ColumnPlan
from lsgnn.graph.validate import Features


def read_column(file: Path, name: str) -> pa.Table:
    return pq.read_table(file, columns=[name])


def fit_columns(
    file: Path, names: Sequence[str], source: Source, *, roles: Mapping[str, Role], listed: Any, missing: Missing
) -> tuple[ColumnPlan, list[str]]:
    """The plan of `fit_plan`, with one column in memory at a time, so that a single pass over the file serves all."""
    plans, notes = [], list[str]()
    for name in names:
        told = {name: roles[name]} if name in roles else {}
        plan, told_notes = fit_plan(read_column(file, name), [name], source, roles=told, listed=listed, missing=missing)
        plans.append(plan)
        notes += told_notes
    transformers = tuple(transformer for plan in plans for transformer in plan.transformers)
    return ColumnPlan(transformers, tuple(pair for plan in plans for pair in plan.left_out)), notes


@dataclass(frozen=True, eq=False)
class TableFeatures:
    """x [n, d] of a Parquet file, of which `x[first:last]` is made when it is asked for."""

    file: Path
    plan: ColumnPlan
    source: Source

    @property
    def shape(self) -> tuple[int, int]:
        return int(self._ends[-1]), len(self.plan.feature_names)

    def __getitem__(self, rows: slice) -> Features:
        start, stop, _ = rows.indices(self.shape[0])
        first = int(np.searchsorted(self._ends, start, side="right")) - 1
        last = max(first + 1, int(np.searchsorted(self._ends, stop, side="left")))
        names = list(dict.fromkeys(self.plan.names))
        table = self._parquet.read_row_groups(range(first, last), columns=names)
        return self.plan.apply(table.slice(start - int(self._ends[first]), stop - start), self.source)

    @cached_property
    def _parquet(self) -> pq.ParquetFile:
        return pq.ParquetFile(self.file)

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """0, and the row after the last of every group."""
        about = self._parquet.metadata
        sizes = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
