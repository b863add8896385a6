"""`.npz` graphs: exact round trips, no pickles, and a sentence for every damaged file."""

import pickle
from contextlib import suppress

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import Graph, InputError, stratified_splits
from lsgnn.graph.io.npz import load_npz, save_npz
from tests.conftest import find_data_dir
from tests.graphs import random_graph

DATA_DIR = find_data_dir()
REAL = sorted(path.stem for path in DATA_DIR.glob("*.npz")) if DATA_DIR else []
FIELDS = ("edge_index", "y", "node_ids", "edge_weight")


def assert_same(a, b):
    assert sp.issparse(a.x) == sp.issparse(b.x)
    for part in ("data", "indices", "indptr") if sp.issparse(a.x) else ():
        np.testing.assert_array_equal(getattr(a.x, part), getattr(b.x, part), strict=True)
    if not sp.issparse(a.x):
        np.testing.assert_array_equal(a.x, b.x, strict=True)
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(a, field), getattr(b, field), strict=True)
    assert (a.class_names, a.notes) == (b.class_names, b.notes)
    assert (a.splits is None) == (b.splits is None)
    for part in ("train", "val", "test") if a.splits is not None else ():
        np.testing.assert_array_equal(getattr(a.splits, part), getattr(b.splits, part))


def everything():
    y = np.array([0, 1, 0, 1, 0, -1])
    return Graph(
        x=sp.csr_array(np.random.default_rng(0).permutation(np.arange(24.0) % 2 * np.arange(24)).reshape(6, 4)),
        edge_index=[[0, 0, 1, 5], [1, 1, 2, 5]],
        y=y,
        edge_weight=[0.1, 0.2, 3.0, 4.0],
        node_ids=["a", "b", "c", "d", "e", "fünf"],
        class_names=("one", "two", "never"),
        splits=stratified_splits(y, 3),
        notes=("from a test",),
    )


@pytest.fixture
def good_file(tmp_path):
    everything().save(tmp_path / "good.npz")
    return tmp_path / "good.npz"


@pytest.mark.parametrize("make", [everything, random_graph, lambda: random_graph(sparse=True)])
def test_a_graph_comes_back_bit_for_bit(tmp_path, make):
    graph = make()
    graph.save(tmp_path / "g.npz")
    assert_same(Graph.load(tmp_path / "g.npz"), graph)


def test_a_graph_is_named_after_its_file(good_file):
    assert load_npz(good_file).name == "good"


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    for name in ("a.npz", "b.npz"):
        save_npz(everything(), tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_unknown_keys_are_ignored_even_if_they_are_pickles(tmp_path):
    np.savez(tmp_path / "g.npz", x=np.eye(2), y=[0, 1], edge_index=[[0], [1]], vocab=np.array([{}], object))
    assert load_npz(tmp_path / "g.npz").num_nodes == 2


REQUIRED = {"x": np.eye(2), "y": np.array([0, 1]), "edge_index": np.array([[0], [1]])}
CSR = {"x_data": [1.0], "x_indices": [0], "x_indptr": [0, 1, 1], "x_shape": [2, 3]}
BAD = {
    "no edges": ({"edge_index": None}, "g.npz has no array 'edge_index' .it holds x, y.: save the graph again"),
    "no y": ({"y": None}, "has no array 'y'"),
    "no x": ({"x": None}, "has no array 'x'"),
    "no test masks": ({"train_masks": np.eye(2, dtype=bool), "val_masks": ~np.eye(2, dtype=bool)}, "no array 'test_m"),
    "half a CSR matrix": ({"x": None, **CSR, "x_shape": None}, "has no array 'x_shape'"),
    "CSR outside its shape": ({"x": None, **CSR, "x_indices": [7]}, "the CSR parts of x do not fit each other"),
    "CSR with a short indptr": ({"x": None, **CSR, "x_indptr": [0, 1]}, "the CSR parts of x do not fit each other"),
    "pickled x": ({"x": np.array([[{}], [{}]], object)}, "'x' holds pickled objects"),
    "a name alone": ({"class_names": np.array("ab")}, r"class_names is an array of shape \(\) and type <U2, but it is"),
    "names in a table": ({"feature_names": [["a", "b"]]}, r"feature_names is an array of shape \(1, 2\)"),
    "a note alone": ({"notes": np.array("hm")}, r"notes is an array of shape \(\)"),
    "names that are dates": (
        {"class_names": np.array(["2020-01-01"] * 2, "M8[D]")},
        r"type datetime64\[D\], but it is a",
    ),
    "names in latin-1": ({"class_names": np.array([b"\xff", b"a"])}, "class_names holds .* which is not UTF-8 text"),
    "an id alone": ({"node_ids": np.array("a")}, r"node_ids has shape \(\), but it is a list of ids"),
    "ids in a table": ({"node_ids": [["a", "b"]]}, r"node_ids has shape \(1, 2\)"),
    "ids of named fields": ({"node_ids": np.zeros(2, [("a", "f4")])}, "node_ids holds .* but an id is text or a whole"),
    "ids in latin-1": ({"node_ids": np.array([b"\xff", b"a"])}, "node_ids holds .* which is not UTF-8 text"),
    "no characters": (
        {"node_ids": np.array([0x110000, 65], "<u4").view("<U1")},
        "node_ids holds the character number 1114112, which is none in Unicode",
    ),
    "half a character": ({"class_names": ["\ud800", "a"]}, "class_names holds the character number 55296"),
    "flat x": ({"x": np.array(3.0)}, r"x has 0 dimension\(s\)"),
    "y alone": ({"y": np.array(3)}, r"y has shape \(\), but the graph has 2 nodes"),
    "an edge alone": ({"edge_index": np.array(3)}, r"edge_index has shape \(\)"),
    "a weight alone": ({"edge_weight": np.array(3.0)}, r"edge_weight has shape \(\)"),
    "masks of numbers": ({f"{p}_masks": np.eye(2) for p in ("train", "val", "test")}, "masks hold float64 values"),
    "a mask alone": (
        {f"{p}_masks": np.array(p == "val") for p in ("train", "val", "test")},
        "the split masks cover 1 nodes, but the graph has 2",
    ),
    "countless columns": (
        {"x": None, **CSR, "x_shape": [2, 10**12]},
        "x has 1000000000000 columns, .* needs 4 TB of memory, but there are .*: drop the empty ones",
    ),
    "falling CSR": (
        {"x": None, **CSR, "x_indptr": [0, 2, 1], "x_data": [1.0, 2.0], "x_indices": [0, 0]},
        "falls from 2",
    ),
    "an edge into nowhere": ({"edge_index": [[0], [9]]}, "g.npz: edge 0 points to node 9"),
}


def test_names_may_be_bytes_or_numbers_of_any_byte_order(tmp_path):
    names = {"class_names": np.array([3, 5]), "feature_names": np.array(["é".encode(), b"b"])}
    np.savez(tmp_path / "g.npz", **REQUIRED | names, node_ids=np.array([7, 9], ">i4"))
    graph = load_npz(tmp_path / "g.npz")
    assert (graph.class_names, graph.feature_names) == (("3", "5"), ("é", "b"))
    assert graph.node_ids.dtype.isnative
    assert graph.node_ids.tolist() == [7, 9]


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD.keys())
def test_bad_content_is_named_with_the_file(tmp_path, changes, message):
    np.savez(tmp_path / "g.npz", **{key: value for key, value in (REQUIRED | changes).items() if value is not None})
    with pytest.raises(InputError, match=message) as caught:
        load_npz(tmp_path / "g.npz")
    assert "g.npz" in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b"hello", pickle.dumps({"x": 1}), b"PK\x03\x04 not really"], ids=["empty", "text", "pickle", "zip"]
)
def test_a_file_that_is_no_archive_is_refused_without_running_it(tmp_path, content):
    (tmp_path / "g.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"g.npz is not a readable .npz graph \(it is not a complete zip archive\)"):
        load_npz(tmp_path / "g.npz")


def test_a_single_array_is_no_graph(tmp_path):
    with (tmp_path / "g.npz").open("wb") as file:
        np.save(file, np.eye(2))
    with pytest.raises(InputError, match="not a complete zip archive"):
        load_npz(tmp_path / "g.npz")


@given(cut=st.floats(0, 1, exclude_max=True))
def test_a_truncated_file_is_an_input_error(tmp_path_factory, cut):
    folder = tmp_path_factory.getbasetemp()
    everything().save(folder / "whole.npz")
    whole = (folder / "whole.npz").read_bytes()
    (folder / "cut.npz").write_bytes(whole[: int(cut * len(whole))])
    with pytest.raises(InputError, match=r"cut\.npz"):
        load_npz(folder / "cut.npz")


@given(where=st.floats(0, 1, exclude_max=True), bits=st.integers(1, 255))
def test_a_flipped_byte_is_an_input_error_or_harmless(tmp_path_factory, where, bits):
    folder = tmp_path_factory.getbasetemp()
    everything().save(folder / "whole.npz")
    content = bytearray((folder / "whole.npz").read_bytes())
    content[int(where * len(content))] ^= bits
    (folder / "flipped.npz").write_bytes(content)
    with suppress(InputError):  # any other exception fails the test
        load_npz(folder / "flipped.npz")


def test_missing_files_and_odd_names_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"nowhere.npz is not a file: check the path"):
        load_npz(tmp_path / "nowhere.npz")
    with pytest.raises(InputError, match=r"'g.pt': the name must end in .npz"):
        random_graph().save(tmp_path / "g.pt")


def test_a_failed_save_keeps_the_old_file(good_file, monkeypatch):
    def full_disk(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez_compressed", full_disk)
    with pytest.raises(OSError, match="no space left"):
        random_graph().save(good_file)
    assert_same(load_npz(good_file), everything())


@pytest.mark.dataset
@pytest.mark.parametrize("name", REAL or ["none"])
def test_real_graphs_load_and_come_back(data_dir, tmp_path, name):
    graph = load_npz(data_dir / f"{name}.npz")
    assert graph.splits is not None
    graph.require_classes()
    graph.save(tmp_path / "g.npz")
    assert_same(load_npz(tmp_path / "g.npz"), graph)
