"""Several Parquet files read as one table."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lsgnn import InputError
from lsgnn.out_of_core.parquet_rows import ParquetRows, serve_as_they_are

TABLE = pa.table({"a": list(range(7)), "b": [f"text {i}" for i in range(7)]})


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, ...]:
    """Rows 0 … 4 in groups of two, and rows 5 and 6."""
    pq.write_table(TABLE.slice(0, 5), tmp_path / "0.parquet", row_group_size=2)
    pq.write_table(TABLE.slice(5), tmp_path / "1.parquet")
    return tmp_path / "0.parquet", tmp_path / "1.parquet"


def test_rows_and_groups_are_numbered_through_all_files(files: tuple[Path, ...]) -> None:
    rows = ParquetRows(files)
    assert (rows.num_rows, rows.names, rows.first_rows) == (7, ["a", "b"], [0, 5])
    assert rows.ends.tolist() == [0, 2, 4, 5, 7]
    assert rows.column("b")["b"].to_pylist() == TABLE["b"].to_pylist()
    assert rows.group(3, ["a"]).to_pydict() == {"a": [5, 6]}


def test_files_serve_as_they_are_if_all_have_the_columns_in_plain_types_and_small_groups(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    assert serve_as_they_are(files, ["a", "b"], memory=10**6)
    assert not serve_as_they_are(files, ["a", "b"], memory=10)
    assert not serve_as_they_are(files, ["a", "c"], memory=10**6)
    assert not serve_as_they_are((), ["a"], memory=10**6)
    pq.write_table(TABLE.set_column(0, "a", pa.array([0.5] * 7)), other := tmp_path / "2.parquet")
    assert not serve_as_they_are((*files, other), ["a"], memory=10**6)
    assert serve_as_they_are((*files, other), ["b"], memory=10**6)
    pq.write_table(pa.table({"a": [[1], [2]]}), nested := tmp_path / "3.parquet")
    assert not serve_as_they_are((nested,), ["a"], memory=10**6)


def test_a_file_that_cannot_be_read_is_an_error_in_words(files: tuple[Path, ...]) -> None:
    files[1].write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"cannot be read .*: write it again"):
        ParquetRows(files).column("a")
