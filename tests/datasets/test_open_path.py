"""Publishers' files open as they are, and hostile ones are refused; each written small, as the publisher writes it."""

import gzip
import zlib
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp

from lsgnn import InputError, as_graph
from lsgnn.graph.io.npz_arrays import read_arrays

EDGES = np.array([[0, 1], [1, 2], [2, 3]])
X = np.arange(8, dtype=np.float32).reshape(4, 2)
Y = np.array([0, 1, 0, 1])


def yandex(path: Path, **changes: Any) -> Path:
    masks = {f"{part}_masks": np.eye(4, dtype=bool)[[row]] for row, part in enumerate(("train", "val", "test"))}
    np.savez(path, **{"node_features": X, "node_labels": Y, "edges": EDGES, **masks, **changes})
    return path


def test_a_file_of_yandex(tmp_path: Path) -> None:
    graph = as_graph(yandex(tmp_path / "mines.npz"))
    assert graph.name == "mines"
    assert graph.edge_index.tolist() == [[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]]  # pairs stand there once
    assert (graph.y.tolist(), graph.x.tolist()) == (Y.tolist(), X.tolist())
    assert graph.splits is not None
    assert graph.splits.val.tolist() == [[False, True, False, False]]
    assert as_graph(yandex(tmp_path / "mines_directed.npz")).edge_index.tolist() == EDGES.T.tolist()


def test_damaged_files_of_yandex_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"edges has shape \(3,\), but edges are pairs"):
        as_graph(yandex(tmp_path / "a.npz", edges=EDGES[0].repeat(2)[:3]))
    with pytest.raises(InputError, match="'node_labels' holds pickled objects"):
        as_graph(yandex(tmp_path / "b.npz", node_labels=np.array([object()] * 4)))


def benchmark(path: Path, **changes: Any) -> Path:
    A, X_ = sp.csr_matrix((np.ones(3), tuple(EDGES.T)), shape=(4, 4)), sp.csr_matrix(X)
    arrays = {f"{name}_{part}": getattr(m, part) for name, m in {"adj": A, "attr": X_}.items() for part in
              ("data", "indices", "indptr", "shape")}  # fmt: skip
    names = {"node_names": np.array(["a", "b", "c", "d"], dtype=object)}  # pickled there, too
    np.savez(path, **{**arrays, "labels": Y, **names, **changes})
    return path


def test_a_file_of_the_benchmark_collections(tmp_path: Path) -> None:
    graph = as_graph(benchmark(tmp_path / "photo.npz"))
    assert repr(graph) == "Graph('photo', nodes=4, edges=3, features=2, classes=2)"
    assert graph.edge_index.tolist() == EDGES.T.tolist()
    assert graph.x.toarray().tolist() == X.tolist()
    assert graph.edge_weight is None


def test_damaged_files_of_the_collections_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a.npz: the CSR parts of adj do not fit .*adj_indices holds 9"):
        as_graph(benchmark(tmp_path / "a.npz", adj_indices=np.array([1, 2, 9])))
    with pytest.raises(InputError, match="'labels' holds pickled objects"):
        as_graph(benchmark(tmp_path / "b.npz", labels=np.array([None] * 4)))


INFO = np.array([[1, 1, 7, 0, 2, 2009, 5], [1, 2, 7, 0, 3, 2008, 5], [2, 0, 8, 0, 0, 0, 6], [1, 1, 7, 9, 2, 2009, 0]])


def test_a_file_of_facebook100(tmp_path: Path) -> None:
    A = sp.csc_matrix((np.ones(3), tuple(EDGES.T)), shape=(4, 4))
    for compressed in (False, True):
        path = tmp_path / "Reed98.mat"
        scipy.io.savemat(path, {"A": A + A.T, "local_info": INFO, "other": [1]}, do_compression=compressed)
        graph = as_graph(path)
        assert repr(graph) == "Graph('Reed98', nodes=4, edges=6, features=11, classes=2)"
        assert graph.y.tolist() == [0, 1, -1, 0]
        assert graph.feature_names[:4] == ("status = 1", "status = 2", "major = 7", "major = 8")
        assert graph.x[2].tolist() == [0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1]


def test_other_mat_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"A": sp.csc_matrix((4, 4))})
    with pytest.raises(InputError, match=r"a.mat holds \['A'\], but a file of Facebook100 holds A and local_info"):
        as_graph(path)
    scipy.io.savemat(path, {"A": sp.csc_matrix((4, 4)), "local_info": INFO[:, :3]})
    with pytest.raises(InputError, match=r"local_info of shape \(4, 3\), but they are"):
        as_graph(path)
    scipy.io.savemat(path, {"A": np.eye(4)}, format="4")
    with pytest.raises(InputError, match=r"not a .mat file of MATLAB's version 5"):
        as_graph(path)
    scipy.io.savemat(path, {"A": sp.csc_matrix((4, 4)), "local_info": INFO}, do_compression=True)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match=r"not a readable .mat file"):
        as_graph(path)


def test_a_mat_file_that_crashes_its_reader_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    A = sp.csc_matrix((np.ones(3), tuple(EDGES.T)), shape=(4, 4))
    scipy.io.savemat(path, {"A": A + A.T, "local_info": np.ones((4, 7))})
    damaged = bytearray(path.read_bytes())
    damaged[209] = 122  # of the number of row indices: a segmentation fault in scipy's reader
    path.write_bytes(damaged)
    with pytest.raises(InputError, match=r"not a readable .mat file"):
        as_graph(path)


def test_a_mat_file_that_unfolds_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.mat"
    scipy.io.savemat(path, {"A": sp.csc_matrix((4, 4)), "local_info": INFO}, do_compression=True)
    bomb = zlib.compress(bytes(20 << 20))
    path.write_bytes(path.read_bytes() + (15).to_bytes(4, "little") + len(bomb).to_bytes(4, "little") + bomb)
    monkeypatch.setenv("LSGNN_MAX_READ", "10MB")
    with pytest.raises(InputError, match="unfolds to more than 10 MB"):
        as_graph(path)


def ogb(folder: Path, **changes: str) -> Path:
    files = {
        "raw/edge": "0,1\n1,2\n2,3\n",
        "raw/num-node-list": "4\n",
        "raw/node-feat": "0,1\n2,3\n4,5\n6,7\n",
        "raw/node-label": "0\n1\n0\n1\n",
        **{f"split/time/{part}": f"{i}\n" for i, part in enumerate(("train", "valid", "test"))},
    }
    for name, text in (files | changes).items():
        path = folder / f"{name}.csv.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()))
    return folder


def test_a_folder_of_ogb(tmp_path: Path) -> None:
    graph = as_graph(ogb(tmp_path / "papers"))
    assert repr(graph) == "Graph('papers', nodes=4, edges=3, features=2, classes=2)"
    assert (graph.edge_index.tolist(), graph.x.tolist()) == (EDGES.T.tolist(), X.tolist())
    assert graph.splits is not None
    assert graph.splits.test.tolist() == [[False, False, True, False]]
    (tmp_path / "papers" / "raw" / "node-feat.csv.gz").unlink()
    assert as_graph(tmp_path / "papers").num_features == 16


def test_damaged_folders_of_ogb_are_refused(tmp_path: Path) -> None:
    for i, (changes, message) in enumerate(
        [
            ({"raw/edge": "0,1,2\n"}, "has 3 columns, but an edge is two"),
            ({"raw/node-label": "0,1\n" * 4}, "has 2 columns, but a node has one class here"),
            ({"split/time/test": "7\n"}, "lists nodes outside 0..3"),
            ({"raw/node-feat": "a,b\n" * 4}, "holds text where numbers belong"),
            ({"raw/num-node-list": "2\n2\n"}, "holds 2 graphs"),
        ]
    ):
        with pytest.raises(InputError, match=message):
            as_graph(ogb(tmp_path / str(i), **changes))


def test_a_graphml_file(tmp_path: Path) -> None:
    graph = nx.karate_club_graph()
    nx.set_node_attributes(graph, {node: float(node) for node in graph}, "age")
    nx.write_graphml(graph, tmp_path / "karate.graphml")
    found = as_graph(tmp_path / "karate.graphml")
    assert repr(found) == "Graph('karate', nodes=34, edges=156, features=1, classes=2)"
    assert found.node_ids[:2].tolist() == ["0", "1"]
    assert found.edge_weight is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'<!DOCTYPE g [<!ENTITY a "b">]><graphml/>', "declares a document type or entities"),
        (b'<?xml version="1.0" encoding="utf-16"?><graphml/>', "save it as UTF-8"),
        ("<graphml/>".encode("utf-16"), "save it as UTF-8"),
        (b"<graphml", "not a readable GraphML file"),
        (b"<html/>", "not a readable GraphML file"),
    ],
)
def test_other_xml_is_refused(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "a.graphml").write_bytes(text)
    with pytest.raises(InputError, match=message):
        as_graph(tmp_path / "a.graphml")


def test_edge_lists(tmp_path: Path) -> None:
    graph = nx.Graph([("a", "b", {"weight": 2}), ("b", "c", {"weight": 0.5})])
    nx.write_edgelist(graph, tmp_path / "a.edgelist")
    nx.write_weighted_edgelist(graph, tmp_path / "b.edgelist")
    (tmp_path / "c.txt").write_text("# from SNAP\n10\t2\n\n2 3\n")
    for name in ("a.edgelist", "b.edgelist"):
        found = as_graph(tmp_path / name)
        assert (found.name, found.node_ids.tolist(), found.edge_weight.tolist()) == (name[0], ["a", "b", "c"], [2, 0.5])
    assert as_graph(tmp_path / "c.txt").node_ids.tolist() == [2, 3, 10]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\nc\n", "line 2 of a.edges has one id, but an edge joins two"),
        ("a b much\n", "line 1 of a.edges has 'much' behind its ids, but a weight is a number"),
        ("a b {'weight': __import__('os')}\n", "but a weight is a number"),
        ("a b 1\nb c\n", "has weights on 1 of 2 edges"),
        ("# nothing\n", "holds no edges"),
    ],
)
def test_bad_edge_lists_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.edges").write_text(text)
    with pytest.raises(InputError, match=message):
        as_graph(tmp_path / "a.edges")


def test_a_folder_of_tables(tmp_path: Path) -> None:
    folder = tmp_path / "bank"
    (folder / "edges").mkdir(parents=True)
    for part in range(2):  # as Spark writes a table
        pq.write_table(pa.table({"source": [part], "target": [part + 1]}), folder / "edges" / f"part-{part}.parquet")
    (folder / "nodes.csv").write_text("id;label;f\n0;x;0,5\n1;y;1\n2;x;2\n")
    graph = as_graph(folder)
    assert repr(graph) == "Graph('bank', nodes=3, edges=2, features=1, classes=2)"
    assert graph.x.tolist() == [[0.5], [1], [2]]
    pq.write_table(pa.table({"id": [1]}), folder / "edges" / "other.parquet")
    with pytest.raises(InputError, match=r"other.parquet and part-0.parquet in edges have different columns"):
        as_graph(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"has no edge table \(it holds nothing\): call it edges.csv"):
        as_graph(tmp_path / "empty")


def test_a_table_alone_is_no_graph(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"e.csv is a table: name the edge table and the node table, or their folder"):
        as_graph(tmp_path / "e.csv")


def test_our_own_files_still_open(tmp_path: Path) -> None:
    graph = as_graph(yandex(tmp_path / "a.npz"))
    graph.save(tmp_path / "b.npz")
    assert as_graph(tmp_path / "b.npz").edge_index.tolist() == graph.edge_index.tolist()
    assert "columns" not in read_arrays(tmp_path / "b.npz", ("columns",))
