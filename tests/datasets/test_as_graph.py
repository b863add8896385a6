"""PyG, networkx, scipy, paths and names ↔ Graph."""

import os
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data, HeteroData

import lsgnn.datasets
from lsgnn import Graph, InputError, as_graph, stratified_splits
from lsgnn.graph.io.networkx_graph import from_networkx, to_networkx
from lsgnn.graph.io.pyg import from_pyg, to_pyg
from lsgnn.graph.io.scipy_matrix import from_scipy
from tests.graphs import random_graph, two_blocks


def pyg(**changes):
    fields = {"x": torch.eye(3), "edge_index": torch.tensor([[0, 1], [1, 2]]), "y": torch.tensor([0, 1, 0])}
    return Data(**{key: value for key, value in (fields | changes).items() if value is not None})


def column(*values):
    return torch.tensor(values, dtype=torch.bool)


def test_heavy_libraries_are_imported_only_when_needed():
    code = (
        "import sys, lsgnn.datasets.as_graph; sys.exit(str({'torch', 'networkx', 'pyarrow'} & set(sys.modules) or ''))"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stderr.strip() == ""


def test_a_graph_is_itself():
    graph = random_graph()
    assert as_graph(graph) is graph


def test_a_path_is_loaded_as_text_or_as_path(tmp_path):
    random_graph().save(tmp_path / "mine.npz")
    for path in (tmp_path / "mine.npz", str(tmp_path / "mine.npz")):
        assert as_graph(path).name == "mine"


def test_a_name_is_a_dataset(monkeypatch):
    monkeypatch.setattr(lsgnn.datasets, "load", lambda name: random_graph() if name == "cora" else None, raising=False)
    assert as_graph("cora").name == "random-0"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (3, "cannot make a graph of a int: pass a lsgnn.Graph, a PyG Data, a networkx graph, the path of a .npz file"),
        (None, "cannot make a graph of a NoneType"),
        (HeteroData(), "cannot make a graph of a HeteroData"),
        ("nowhere/mine.npz", "mine.npz is not a file: check the path"),
    ],
)
def test_anything_else_is_refused_with_the_list_of_what_is_understood(source, message):
    with pytest.raises(InputError, match=message):
        as_graph(source)


def test_a_table_is_sent_to_read_tables(tmp_path):
    (tmp_path / "edges.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"edges.csv is a table: name the edge table and the node table"):
        as_graph(str(tmp_path / "edges.csv"))


# --- PyG


def test_pyg_data_is_read_with_its_direction_and_weights():
    g = as_graph(pyg(edge_weight=torch.tensor([0.5, 2.0])))
    assert g.edge_index.tolist() == [[0, 1], [1, 2]]
    assert g.edge_weight.tolist() == [0.5, 2.0]
    assert (g.y.tolist(), g.splits) == ([0, 1, 0], None)


def test_pyg_masks_are_nodes_by_splits():
    one = as_graph(pyg(train_mask=column(1, 0, 0), val_mask=column(0, 1, 0), test_mask=column(0, 0, 1)))
    assert (one.splits.train.tolist(), one.splits.test.tolist()) == ([[True, False, False]], [[False, False, True]])
    two = as_graph(
        pyg(
            train_mask=column([1, 0], [0, 0], [0, 0]),
            val_mask=column([0, 1], [1, 0], [0, 0]),
            test_mask=column(0, 0, 1),
        )
    )  # as WikiCS: one test set for all splits
    assert two.splits.train.tolist() == [[True, False, False], [False, False, False]]
    assert two.splits.test.tolist() == [[False, False, True]] * 2


def test_pyg_masks_that_are_incomplete_are_left_out_and_noted():
    g = as_graph(pyg(train_mask=column(1, 0, 0)))
    assert g.splits is None
    assert g.notes == ("masks ignored, because the Data has only train_mask",)


def test_pyg_masks_of_the_wrong_shape_are_refused():
    masks = {"train_mask": column(1, 0), "val_mask": column(0, 1, 0), "test_mask": column(0, 0, 1)}
    with pytest.raises(InputError, match=r"train_mask has shape \(2,\), but the graph has 3 nodes: pass \[n\] or"):
        as_graph(pyg(**masks))


def test_pyg_data_without_features_gets_its_structure_and_without_edges_is_refused():
    g = from_pyg(Data(edge_index=torch.tensor([[0, 0], [1, 2]]), num_nodes=3))
    np.testing.assert_allclose(g.x[:, :2], np.log1p([[2, 0], [0, 1], [0, 1]]), rtol=1e-6)
    assert g.x[:, 2].any()  # and spectral coordinates
    assert g.notes == ("no feature columns: x is log degrees and spectral coordinates of the graph itself",)
    with pytest.raises(InputError, match="the PyG Data has no edge_index: set it"):
        from_pyg(Data(x=torch.eye(3)))


def test_edge_attributes_are_noted_as_ignored():
    assert as_graph(pyg(edge_attr=torch.ones(2, 4))).notes == ("edge_attr ignored: LSGNN reads edge_weight",)


@pytest.mark.parametrize("splits", [1, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_pyg_and_back_is_the_same_graph(splits, sparse):
    graph = random_graph(sparse=sparse)
    graph = Graph(x=graph.x, edge_index=graph.edge_index, y=graph.y, splits=stratified_splits(graph.y, splits))
    data = to_pyg(graph)
    assert data.x.dtype == torch.float32
    assert data.train_mask.shape == ((40,) if splits == 1 else (40, 3))
    back = as_graph(data)
    np.testing.assert_array_equal(back.x, graph.x.toarray() if sparse else graph.x)
    np.testing.assert_array_equal(back.edge_index, graph.edge_index)
    np.testing.assert_array_equal(back.splits.val, graph.splits.val)
    assert data.validate()


def test_pyg_data_shares_no_memory_with_the_graph():
    graph = two_blocks()
    before = graph.x.copy()
    graph.to_pyg().x.zero_()
    np.testing.assert_array_equal(graph.x, before)


# --- networkx


def test_undirected_edges_count_in_both_directions_and_loops_once():
    net = nx.Graph([("a", "b"), ("b", "b")], name="net")
    nx.set_edge_attributes(net, 2.0, "weight")
    g = as_graph(net)
    assert (g.name, g.node_ids.tolist()) == ("net", ["a", "b"])
    assert g.edge_index.tolist() == [[0, 1, 1], [1, 0, 1]]
    assert g.edge_weight.tolist() == [2, 2, 2]


def test_directed_edges_keep_their_direction():
    assert as_graph(nx.DiGraph([(7, 3)])).edge_index.tolist() == [[0], [1]]
    assert as_graph(nx.DiGraph([(7, 3)])).node_ids.tolist() == [7, 3]


def test_parallel_edges_are_merged():
    assert as_graph(nx.MultiDiGraph([(0, 1), (0, 1)])).notes[0].startswith("no feature columns")
    assert "1 duplicate edge(s) merged" in as_graph(nx.MultiDiGraph([(0, 1), (0, 1)])).notes


def test_weights_on_some_edges_only_are_ignored_and_noted():
    net = nx.DiGraph([(0, 1), (1, 2, {"weight": 3.0})])
    assert as_graph(net).edge_weight is None
    assert as_graph(net).notes[0] == "weights ignored: only 1 of 2 edges have one"


def people(**attributes):
    net = nx.Graph([("a", "b"), ("b", "c")])
    for key, values in attributes.items():
        nx.set_node_attributes(net, {n: v for n, v in zip("abc", values, strict=True) if v is not None}, key)
    return net


def test_features_are_the_vector_x_or_all_numbers():
    assert as_graph(people(x=[np.array([1, 2]), [3, 4.5], (5, 6)], age=[1, 2, 3])).x.tolist() == [
        [1, 2],
        [3, 4.5],
        [5, 6],
    ]
    assert as_graph(people(age=[1, 2, 3.5], member=[True, False, True])).x.tolist() == [[1, 1], [2, 0], [3.5, 1]]
    assert from_networkx(people(age=[1, 2, 3], job=["x", "y", "z"]), features=["age"]).x.tolist() == [[1], [2], [3]]


@pytest.mark.parametrize(
    ("labels", "y", "names"),
    [
        (["x", None, "w"], [1, -1, 0], ("w", "x")),
        ([10, 9, 10], [1, 0, 1], ("9", "10")),
        ([np.int64(1), np.int64(0), None], [1, 0, -1], ("0", "1")),
        ([1, "one", None], [0, 1, -1], ("1", "one")),
    ],
)
@pytest.mark.parametrize("key", ["label", "y"])
def test_labels_of_any_type_are_classes(key, labels, y, names):
    g = as_graph(people(age=[1, 2, 3], **{key: labels}))
    assert (g.y.tolist(), g.class_names) == (y, names)
    assert g.num_features == 1


def test_attributes_of_networkx_nodes_may_be_categories():
    graph = people(age=[1, 2, 3], job=["x", "y", "x"])
    found = from_networkx(graph, categories="job")
    assert found.x.tolist() == [[1, 1, 0], [2, 0, 1], [3, 1, 0]]
    assert found.feature_names == ("age", "job = x", "job = y")
    with pytest.raises(InputError, match="categories lists 'job', which is the label"):
        from_networkx(graph, label="job", categories=["job"])
    assert from_networkx(graph, features=["age"], categories=["job"]).x.shape == (3, 3)
    with pytest.raises(InputError, match="no node has an attribute 'town'"):
        from_networkx(graph, categories=["town"])


def test_attributes_of_networkx_nodes_have_roles_as_columns_of_tables_have():
    found = as_graph(people(age=[1, None, 3], job=["x", "y", "x"], club=["a", "b", "a"]))
    assert found.feature_names == ("age", "age is missing", "job = x", "job = y")
    assert found.x.tolist() == [[1, 0, 1, 0], [2, 1, 0, 1], [3, 0, 1, 0]]
    assert found.class_names == ("a", "b")
    assert as_graph(people(job=["x"] * 3)).num_features == 16  # a constant is left out, so the structure stands in


def test_the_karate_club_just_works():
    import networkx as nx

    graph = as_graph(nx.karate_club_graph())
    assert repr(graph) == 'Graph("Zachary\'s Karate Club", nodes=34, edges=156, features=16, classes=2)'
    assert graph.class_names == ("Mr. Hi", "Officer")
    assert graph.edge_weight.sum() == 462  # 231 interactions, in both directions


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"x": [[1, 2], [3], [4, 5]]}, "row 1 of the networkx nodes has 1 values in 'x'"),
        ({"age": [1, "two", 3]}, "node attributes mix types"),
        ({"age": [1, float("inf"), 3]}, "row 1 of the networkx nodes has an infinite value in 'age'"),
    ],
)
def test_attributes_that_are_no_features_are_refused(attributes, message):
    with pytest.raises(InputError, match=message):
        as_graph(people(**attributes))


def test_an_empty_or_misnamed_networkx_graph_is_refused():
    with pytest.raises(InputError, match="the networkx graph has no nodes"):
        as_graph(nx.Graph())
    with pytest.raises(InputError, match="no node has an attribute 'topic'"):
        from_networkx(people(age=[1, 2, 3]), label="topic")


def test_networkx_and_back_is_the_same_graph():
    edges = np.array([[0, 1, 2], [1, 2, 2]])
    x, y = sp.csr_array(np.eye(13, 4)), np.array([*range(12), -1])
    graph = Graph(x=x, edge_index=edges, y=y, edge_weight=[1, 2, 0.5], node_ids=[f"n{i}" for i in range(13)], name="g")
    back = from_networkx(to_networkx(graph))
    np.testing.assert_array_equal(back.x, graph.x.toarray())
    for field in ("edge_index", "y", "edge_weight", "node_ids"):
        np.testing.assert_array_equal(getattr(back, field), getattr(graph, field))
    assert (back.class_names, back.name) == (graph.class_names, "g")


@pytest.mark.parametrize("label", [[1, 2], (1, 2), {"a": 1}, {1}, np.array([1, 2]), sp.eye_array(2), torch.ones(2)])
def test_a_label_of_several_values_is_refused_with_its_node(label):
    with pytest.raises(
        InputError, match=r"node 'b' has a \w+ in 'label', but a label is one class: pass text or a number"
    ):
        as_graph(people(age=[1, 2, 3], label=["x", label, "y"]))


@pytest.mark.parametrize(
    ("labels", "y", "names"),
    [
        ([10**30, 1, None], [1, 0, -1], ("1", str(10**30))),
        ([float("nan"), 1, 2], [-1, 0, 1], ("1", "2")),
        ([float("nan"), "a", "b"], [-1, 0, 1], ("a", "b")),
    ],
)
def test_huge_and_missing_labels_of_networkx(labels, y, names):
    g = as_graph(people(age=[1, 2, 3], label=labels))
    assert (g.y.tolist(), g.class_names) == (y, names)


@pytest.mark.parametrize(
    ("nodes", "ids"),
    [
        ([10**30, 1], [str(10**30), "1"]),
        ([-(2**63), 2**63 - 1], [-(2**63), 2**63 - 1]),
        ([2**63, 0], [str(2**63), "0"]),
        ([(1, 2), "a"], ["(1, 2)", "a"]),
        ([1.5, True], ["1.5", "True"]),
    ],
)
def test_nodes_of_networkx_may_be_anything(nodes, ids):
    assert as_graph(nx.DiGraph([tuple(nodes)])).node_ids.tolist() == ids


def test_nodes_that_read_alike_are_refused():
    with pytest.raises(InputError, match="node id '1' stands 2 times"):
        as_graph(nx.Graph([(1, "1")]))


WRONG = {
    "no graph": ({"graph": None}, "from_networkx reads a networkx graph, not a NoneType: pass one"),
    "a number": ({"graph": 5}, "not a int"),
    "features that are a number": ({"features": 5}, r"features is 5 \(int\), but it names columns: pass a list"),
    "categories that are a number": ({"categories": 5}, r"categories is 5 \(int\)"),
    "a label that is a list": ({"label": ["age"]}, r"no node has an attribute \['age'\]"),
    "a label that is an array": ({"label": np.eye(3)}, r"no node has an attribute array"),
    "a name that is a number": ({"name": 5}, r"name is 5 \(int\), but a name is text"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_arguments_of_from_networkx_are_refused(changes, message):
    with pytest.raises(InputError, match=message) as caught:
        from_networkx(**{"graph": people(age=[1, 2, 3])} | changes)
    assert "\n" not in str(caught.value)


def test_one_attribute_of_networkx_may_be_named_without_a_list():
    assert from_networkx(people(age=[1, 2, 3], size=[4, 5, 6]), features="age").x.tolist() == [[1], [2], [3]]


@pytest.mark.parametrize("value", [10**30, [10**30], {"a": 1}, 1j, object(), sp.eye_array(2), torch.eye(2).to_sparse()])
def test_attributes_that_are_no_numbers_are_refused_in_a_line(value):
    with pytest.raises(InputError) as caught:
        as_graph(people(x=[value, value, value]))
    assert "\n" not in str(caught.value)


# --- too large to build


@pytest.mark.filterwarnings("ignore:Unable to accurately infer 'num_nodes'")
def test_a_node_number_without_bound_is_refused_before_features_are_derived():
    edges = torch.tensor([[0], [10**15]])
    message = (
        r"no features, and to derive some for 1000000000000001 nodes .* needs 400,000 TB of memory, but there are .*: "
    )
    with pytest.raises(
        InputError, match=message + r"check the node numbers \(the largest is 1000000000000000\), or pass x"
    ):
        as_graph(Data(edge_index=edges))
    with pytest.raises(InputError, match="edge 0 points to node 1000000000000000, but the graph has nodes"):
        as_graph(Data(edge_index=edges, num_nodes=3))
    adjacency = sp.coo_array(([1.0], ([0], [5])), shape=(10**15, 10**15))
    with pytest.raises(InputError, match=r"to derive some for 1000000000000000 nodes .* \(the largest is 5\)"):
        from_scipy(adjacency, None)


@pytest.mark.filterwarnings("ignore:Unable to accurately infer 'num_nodes'")
@pytest.mark.parametrize("edges", ["ab", [[0], [1]], 5, torch.ones(3), torch.ones(2, 1)])
def test_pyg_data_with_odd_edges_is_refused(edges):
    with pytest.raises(InputError):
        from_pyg(Data(edge_index=edges))
    with pytest.raises(InputError, match=r"from_pyg reads a torch_geometric.data.Data, not a"):
        from_pyg(edges)


# --- scipy


def unsound():
    adjacency = sp.csr_array(np.eye(3))
    adjacency.indices = np.array([0, 7, 99], np.int32)
    return adjacency


ODD = {
    "None": (
        None,
        "the adjacency is of shape .* with object values, but it is a matrix of numbers: pass a scipy matrix",
    ),
    "a number": (5, "the adjacency is of shape .* with int64 values"),
    "a text": ("abc", "the adjacency is of shape .* with <U3 values"),
    "a dictionary": ({}, "the adjacency is of shape .* with object values"),
    "NaN": (np.nan, "the adjacency is of shape"),
    "ragged rows": ([[1], [1, 2]], "rows of different lengths"),
    "words": ([["a", "b"], ["c", "d"]], "with <U1 values"),
    "complex numbers": (np.eye(3) * 1j, "with complex128 values"),
    "a cube": (np.ones((3, 3, 3)), r"the adjacency has shape \(3, 3, 3\), but it must be square"),
    "a sparse row": (sp.coo_array([1, 0, 1]), r"the adjacency has shape \(3,\), but it must be square"),
    "an unsound matrix": (unsound(), "the adjacency is not a sound sparse matrix .*: build it again"),
    "NaN weights": (np.full((3, 3), np.nan), "edge 0 has weight nan"),
}


@pytest.mark.parametrize(("adjacency", "message"), ODD.values(), ids=ODD.keys())
def test_what_is_no_adjacency_is_refused(adjacency, message):
    with pytest.raises(InputError, match=message):
        from_scipy(adjacency, np.eye(3))


@pytest.mark.parametrize("kind", ["f2", ">f8", ">i4", "u1", "?"])
def test_an_adjacency_may_hold_any_numbers(kind):
    assert from_scipy(np.array([[0, 1], [1, 0]], kind), np.eye(2)).edge_index.tolist() == [[0, 1], [1, 0]]


def test_an_adjacency_is_read_row_to_column():
    adjacency = sp.csr_array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    g = from_scipy(adjacency, np.eye(3), [0, 1, 0])
    assert g.edge_index.tolist() == [[0, 1], [1, 2]]
    assert g.edge_weight is None


def test_entries_other_than_one_are_weights():
    assert from_scipy(np.array([[0, 0.5], [2, 0]]), sp.eye_array(2)).edge_weight.tolist() == [0.5, 2]


def test_an_adjacency_must_be_square():
    with pytest.raises(InputError, match=r"the adjacency has shape \(2, 3\), but it must be square"):
        from_scipy(np.ones((2, 3)), np.eye(2))


def test_the_callers_adjacency_is_left_alone():
    adjacency = sp.coo_array(([1, 1, 0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    from_scipy(adjacency, np.eye(2))
    assert adjacency.nnz == 3
