from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.roles import Role
from lsgnn.out_of_core.parquet_rows import ParquetRows
from lsgnn.out_of_core.table_features import TableFeatures, fit_columns

NUMBERS = pa.table({"a": pa.array([0, 1, 2, 3, 4, 5, 6], pa.float32()), "b": [7.0, 6.0, None, 4.0, 3.0, 2.0, 1.0]})
WORDS = pa.table({"a": NUMBERS["a"], "c": [f"{word} is a word" for word in "uvwxyzu"]})

ROLES: dict[str, Role] = {"c": "text"}


def features(file: Path, table: pa.Table) -> TableFeatures:
    """In row groups of 0 … 2, 3 … 5 and 6."""
    pq.write_table(table, file, row_group_size=3)
    source = Source(pa.table({}), "nodes.parquet", table.column_names)
    nodes = ParquetRows((file,))
    plan, _ = fit_columns(nodes, table.column_names, source, roles=ROLES, listed=(), missing="impute")
    return TableFeatures(nodes, plan, source)


@pytest.mark.parametrize("rows", [slice(0, 2), slice(1, 3), slice(2, 4), slice(0, 7), slice(5, 99), slice(6, 7)])
@pytest.mark.parametrize("table", [NUMBERS, WORDS], ids=["dense", "sparse"])
def test_a_slice_is_those_rows_of_the_whole_in_any_row_groups(tmp_path: Path, table: pa.Table, rows: slice) -> None:
    x = features(tmp_path / "nodes.parquet", table)
    whole, part = x.plan.apply(table, x.source), x[rows]
    assert sp.issparse(part) == sp.issparse(whole) == (table is WORDS)
    dense = (np.asarray(values.toarray() if sp.issparse(values) else values) for values in (part, whole[rows]))
    assert np.array_equal(*dense)


def test_a_row_group_is_read_once_for_all_slices_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x, read = features(tmp_path / "nodes.parquet", NUMBERS), list[int]()
    of_file = pq.ParquetFile.read_row_group

    def counted(self: pq.ParquetFile, group: int, **how: object) -> pa.Table:
        read.append(group)
        return of_file(self, group, **how)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    for start in range(7):
        x[start : start + 1]
    assert read == [0, 1, 2]
