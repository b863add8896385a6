"""Parquet files: what they declare is added up before they are read."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lsgnn import InputError, read_tables
from lsgnn.graph.io.parquet_file import declared_size, parquet_names, read_parquet


@pytest.fixture
def write(tmp_path):
    def write(name="t.parquet", *, columns, **options):
        pq.write_table(pa.table(columns), tmp_path / name, **options)
        return tmp_path / name

    return write


def texts(*, length, rows):
    """One long text, stored once, in every row."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["x" * length]))


ONCE = {"store_schema": False, "dictionary_pagesize_limit": 1 << 30}


def test_equal_values_count_as_often_as_they_stand_there(write):
    path = write(columns={"a": np.zeros(10**6, np.int64), "b": np.zeros(10**6, np.float32)})
    assert path.stat().st_size < 10**4
    assert 12 * 10**6 <= declared_size(pq.ParquetFile(path).metadata) < 13 * 10**6


def test_values_in_lists_count_one_by_one(write):
    path = write(columns={"v": pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(10**6)), 100)})
    assert 8 * 10**6 <= declared_size(pq.ParquetFile(path).metadata) < 9 * 10**6


def test_more_than_the_limit_is_refused(write, monkeypatch):
    monkeypatch.setenv("LSGNN_MAX_READ", "10MB")
    with pytest.raises(
        InputError, match=r"t.parquet unfolds to 16 MB, but the limit is LSGNN_MAX_READ=10MB.*=1[67]MB to"
    ):
        read_parquet(write(columns={"a": np.zeros(10**6, np.int64), "b": np.zeros(10**6, np.int64)}))


def test_a_text_that_is_stored_once_counts_as_often_as_it_stands_there(write, monkeypatch):
    monkeypatch.setenv("LSGNN_MAX_READ", "10MB")
    path = write(columns={"source": texts(length=10**5, rows=1000), "target": np.zeros(1000)}, **ONCE)
    with pytest.raises(InputError, match=r"unfolds to 100 MB, but the limit"):
        read_tables(path)


def test_a_long_text_that_stands_once_is_read(write, monkeypatch):
    """Were every row as long as the longest text, this would be 100 MB."""
    monkeypatch.setenv("LSGNN_MAX_READ", "10MB")
    column = pa.array(["x" * 10**5, *["short"] * 999]).dictionary_encode()
    table = read_parquet(write(columns={"a": column}, **ONCE))
    assert table["a"].to_pylist() == column.to_pylist()


def test_rows_of_many_texts_are_read_as_before(write, monkeypatch):
    monkeypatch.setenv("LSGNN_MAX_READ", "10MB")
    names = [f"paper-{i}" for i in range(10**5)]
    path = write(columns={"a": names, "b": [None] * 10**5, "c": ["x", None] * (10**5 // 2)}, row_group_size=30_000)
    assert read_parquet(path)["a"].to_pylist() == names


@pytest.mark.parametrize("cut", [0, 3, 200, -1])
def test_a_truncated_file_is_refused(write, cut):
    path = write(columns={"source": ["a"] * 1000, "target": ["b"] * 1000})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(InputError, match=r"t.parquet is (not a readable Parquet file|empty)"):
        read_tables(path)


def test_a_damaged_page_is_refused(write):
    path = write(columns={"source": ["a", "b"] * 1000, "target": ["b", "c"] * 1000}, compression="gzip")
    content = bytearray(path.read_bytes())
    content[20:60] = bytes(40)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"t\.parquet is not a readable Parquet file"):
        read_tables(path)


def test_a_file_without_columns_is_refused(write):
    with pytest.raises(InputError, match=r"t\.parquet has no columns: pass a table with a header"):
        read_tables(write(columns={}))


def test_names_are_those_of_whole_columns(write):
    assert parquet_names(write(columns={"id": [1], "s": [{"a": 1, "b": 2}], "l": [[1, 2]]})) == ["id", "s", "l"]


NESTED = {
    "struct": pa.array([{"a": 1}, {"a": 2}]),
    "list of lists": pa.array([[[1]], [[2]]]),
    "list of text": pa.array([["a"], ["b"]]),
    "map": pa.array([[("a", 1)], [("b", 2)]], pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("column", NESTED.values(), ids=NESTED.keys())
def test_nested_columns_are_refused_by_name(write, column):
    nodes = write("n.parquet", columns={"id": ["a", "b"], "c": column, "f": [1, 2]})
    edges = write("e.parquet", columns={"source": ["a"], "target": ["b"]})
    for roles in ({}, {"label": "c"}, {"id": "c"}, {"split": "c"}, {"categories": ["c"]}):
        with pytest.raises(InputError, match=r"column 'c' of n\.parquet holds ") as caught:
            read_tables(edges, nodes, **roles)
        assert "\n" not in str(caught.value)
    assert read_tables(edges, nodes, features=["f"]).x.tolist() == [[1], [2]]
