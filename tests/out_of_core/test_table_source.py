"""Tables larger than memory become the same store as the same tables in memory."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import lsgnn
from lsgnn import InputError, LSGNNConfig
from lsgnn.out_of_core import TablesOnDisk, fit_stored, precompute
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.table_source import WORKING

pytest.importorskip("duckdb")
N = 60
CONFIG = LSGNNConfig(K=1, hidden_channels=4, epochs=3, feature_norm="standard")


def node_table() -> pa.Table:
    """Ids that are text, a number of which some are missing, a category, a date, a label of half of the nodes."""
    random = np.random.default_rng(0)
    return pa.table(
        {
            "key": [f"customer-{i:03}" for i in random.permutation(N)],
            "age": [None if i % 7 == 0 else float(i) for i in range(N)],
            "city": [("Rome", "Oslo", "Lima")[i % 3] for i in range(N)],
            "since": [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(N)],
            "class": [("good", "bad")[i % 2] if i % 4 < 2 else None for i in range(N)],
        }
    )


def edge_table(ids: list[str]) -> pa.Table:
    ends = np.random.default_rng(1).integers(0, N, (2, 200))
    return pa.table({"source": [ids[i] for i in ends[0]], "target": [ids[i] for i in ends[1]]})


@pytest.fixture
def tables(tmp_path: Path) -> TablesOnDisk:
    """Both in three Parquet files each."""
    nodes = node_table()
    for name, table in (("nodes", nodes), ("edges", edge_table(nodes["key"].to_pylist()))):
        (tmp_path / name).mkdir()
        for part in range(3):
            size = len(table) // 3 + 1
            pyarrow.parquet.write_table(table.slice(part * size, size), tmp_path / name / f"{part}.parquet")
    return TablesOnDisk(str(tmp_path / "edges/*.parquet"), str(tmp_path / "nodes/*.parquet"), label="class", id="key")


def in_memory() -> lsgnn.Graph:
    nodes = node_table()
    return lsgnn.read_tables(edge_table(nodes["key"].to_pylist()), nodes, label="class", id="key")


def arrays_of(store: Store) -> dict[str, bytes]:
    return {str(file.relative_to(store.folder)): file.read_bytes() for file in store.folder.rglob("*.npy")}


def test_parquet_files_become_the_store_of_the_same_tables_in_memory(tables: TablesOnDisk, tmp_path: Path) -> None:
    notes = list[str]()
    store = precompute(tables, tmp_path / "store", CONFIG, on_note=notes.append)
    expected = precompute(in_memory(), tmp_path / "expected", CONFIG)
    assert arrays_of(store) == arrays_of(expected)
    assert store.manifest.feature_names == expected.manifest.feature_names
    assert store.class_names == ("bad", "good")
    assert any("'age': 9 missing number(s) imputed by the median" in note for note in notes)
    assert not (store.folder / WORKING).exists()


def test_csv_files_and_queries_are_tables_too(tables: TablesOnDisk, tmp_path: Path) -> None:
    nodes = node_table()
    pyarrow.csv.write_csv(nodes, tmp_path / "nodes-1.csv")
    query = f"SELECT target AS a, source AS b FROM '{tmp_path}/edges/*.parquet'"
    mixed = TablesOnDisk(query, str(tmp_path / "nodes-*.csv"), label="class", id="key", source="b", target="a")
    store = precompute(mixed, tmp_path / "store", CONFIG)
    expected = precompute(tables, tmp_path / "expected", CONFIG)
    assert arrays_of(store) == arrays_of(expected)


@pytest.mark.parametrize("spoilt", ["too many files", "large row groups", "too many ids", "equal hashes"])
def test_where_the_quick_way_is_closed_the_store_is_the_same(
    tables: TablesOnDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: str
) -> None:
    expected = precompute(tables, tmp_path / "expected", CONFIG)
    changes = {
        "too many files": ("parquet_rows.MOST_FILES", 1),
        "large row groups": ("parquet_rows.COPIES", 1 << 40),
        "too many ids": ("edge_numbers.PLACE", 1 << 40),
        "equal hashes": ("edge_numbers.take_places", lambda *_: 0),
    }
    monkeypatch.setattr(f"lsgnn.out_of_core.{changes[spoilt][0]}", changes[spoilt][1])
    assert arrays_of(precompute(tables, tmp_path / "store", CONFIG)) == arrays_of(expected)


def test_a_column_in_the_names_of_folders_is_a_feature_too(tmp_path: Path) -> None:
    nodes = node_table()
    for part, city in enumerate(("Rome", "Oslo", "Lima")):
        (tmp_path / f"nodes/region={city}").mkdir(parents=True)
        file = tmp_path / f"nodes/region={city}/{part}.parquet"
        pyarrow.parquet.write_table(nodes.slice(20 * part, 20).drop_columns(["city"]), file)
    pyarrow.parquet.write_table(edge_table(nodes["key"].to_pylist()), tmp_path / "edges.parquet")
    patterns = str(tmp_path / "edges*.parquet"), str(tmp_path / "nodes/**/*.parquet")
    store = precompute(TablesOnDisk(*patterns, label="class", id="key"), tmp_path / "store", CONFIG)
    assert sum("region" in name for name in store.manifest.feature_names) == 3, store.manifest.feature_names


def test_numbers_meet_their_text_and_edges_without_weight_are_left_out(tmp_path: Path) -> None:
    ids = np.arange(100, 100 + N)
    nodes = pa.table({"id": ids, "x": np.linspace(0, 1, N), "y": np.arange(N) % 2})
    ends = np.random.default_rng(2).integers(100, 100 + N, (2, 50)).astype(str)
    weight = np.where(np.arange(50) % 5 == 0, 0.0, 2.0)
    edges = pa.table({"source": ends[0], "target": ends[1], "weight": weight})
    pyarrow.parquet.write_table(nodes, tmp_path / "nodes.parquet")
    pyarrow.parquet.write_table(edges, tmp_path / "edges.parquet")
    patterns = str(tmp_path / "edges*.parquet"), str(tmp_path / "nodes*.parquet")
    store = precompute(TablesOnDisk(*patterns), tmp_path / "store", CONFIG)
    expected = precompute(lsgnn.read_tables(edges, nodes), tmp_path / "expected", CONFIG)
    assert arrays_of(store) == arrays_of(expected)


def test_a_file_that_is_damaged_behind_its_first_bytes_is_named(tables: TablesOnDisk, tmp_path: Path) -> None:
    file = tmp_path / "nodes" / "1.parquet"
    file.write_bytes(file.read_bytes()[:4] + bytes(60) + file.read_bytes()[64:])
    with pytest.raises(InputError, match=r"DuckDB cannot read|1\.parquet.*cannot be read"):
        precompute(tables, tmp_path / "store", CONFIG)


def test_predictions_are_a_folder_of_parquet_files_with_the_ids_of_the_table(
    tables: TablesOnDisk, tmp_path: Path
) -> None:
    store = precompute(tables, tmp_path / "store", CONFIG, keep="labelled")
    assert fit_stored(store).predict(store, tmp_path / "predictions") == N
    files = sorted((tmp_path / "predictions").iterdir())
    assert [file.name for file in files] == ["part-00000.parquet"]
    assert pyarrow.parquet.read_table(files[0])["id"].to_pylist() == node_table()["key"].to_pylist()
    with pytest.raises(InputError, match="is there and not an empty folder"):
        fit_stored(store).predict(store, tmp_path / "predictions")


def test_a_finished_store_is_not_made_again_and_an_unfinished_one_goes_on(
    tables: TablesOnDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("lsgnn.out_of_core.filling.write_columns", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            precompute(tables, tmp_path / "store")
    assert (tmp_path / "store" / WORKING / "edge_index.npy").is_file()
    monkeypatch.setattr("lsgnn.out_of_core.table_source._number", _interrupted)  # tables are not read again
    store = precompute(tables, tmp_path / "store")
    assert store.config.feature_norm == "standard"  # ages and zeros and ones
    assert precompute(tables, tmp_path / "store").folder == store.folder


def test_tables_are_not_read_for_a_folder_that_is_taken(tables: TablesOnDisk, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds files but is no store"):
        precompute(tables, tmp_path)
    precompute(in_memory(), tmp_path / "store", CONFIG)
    with pytest.raises(InputError, match="store of other data or settings"):
        precompute(tables, tmp_path / "store", CONFIG)
    assert not list(tmp_path.rglob(WORKING))


def _interrupted(*_: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("edges", "nodes", "message"),
    [
        (("a", "z"), ["a", "b"], "points to 'z', which is no id of"),
        (("a", "b"), ["a", "a"], "has several rows with 'id' 'a'"),
        (("a", "b"), ["a", None], "has no 'id': fill it in"),
    ],
)
def test_ids_that_cannot_be_are_named(tmp_path: Path, edges: Any, nodes: Any, message: str) -> None:
    pyarrow.parquet.write_table(pa.table({"s": [edges[0]], "t": [edges[1]]}), tmp_path / "e.parquet")
    table = pa.table({"id": nodes, "x": [1.0, 2.0], "y": [0, 1]})
    pyarrow.parquet.write_table(table, tmp_path / "n.parquet")
    with pytest.raises(InputError, match=message):
        precompute(TablesOnDisk(str(tmp_path / "e*.parquet"), str(tmp_path / "n*.parquet")), tmp_path / "store")
    assert not list((tmp_path / "store").iterdir())


def test_what_duckdb_cannot_read_is_one_sentence(tables: TablesOnDisk, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file matches"):
        precompute(TablesOnDisk("nowhere/*.parquet", tables.nodes), tmp_path / "store")
    with pytest.raises(InputError, match=r"DuckDB cannot read the tables \(.*nothing.*\): mend them or the query"):
        precompute(TablesOnDisk("SELECT * FROM nothing", tables.nodes), tmp_path / "store")


def test_without_duckdb_the_error_says_how_to_get_it(
    tables: TablesOnDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(InputError, match=r"duckdb is not installed: run pip install 'lsgnn\[duckdb\]'"):
        precompute(tables, tmp_path / "store")
