"""What `Graph` accepts, what it refuses, and what it says about it."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from lsgnn import Graph, InputError
from lsgnn.graph.splits import Splits

X = np.eye(3, dtype=np.float32)
PATH = np.array([[0, 1], [1, 2]])


def graph(**changes):
    """The path 0 → 1 → 2 with two classes, and some changes."""
    return Graph(**({"x": X, "edge_index": PATH, "y": [0, 1, 0]} | changes))


def mask(*nodes):
    return np.isin(np.arange(3), nodes)


def test_a_good_graph_says_what_it_is():
    g = graph(name="path")
    assert repr(g) == "Graph('path', nodes=3, edges=2, features=3, classes=2)"
    assert g.class_names == ("0", "1")
    assert g.node_ids.tolist() == [0, 1, 2]
    assert g.notes == ()


class Stubborn:
    """Claims to be an array and is none."""

    def __array__(self, *_, **__):
        raise RuntimeError("not today")


def outside():
    """A sparse matrix whose indices were set after it was built, as scipy lets one."""
    x = sp.csr_array(X)
    x.indices = np.array([0, 7, 99], np.int32)
    return x


REFUSED = {
    "no array": ({"x": Stubborn()}, "a Stubborn is not an array .not today.: pass a numpy array, a list or a tensor"),
    "sparse outside its shape": ({"x": outside()}, "x is not a sound sparse matrix .*: build it again"),
    "countless columns": (
        {"x": sp.csr_array((3, 10**12))},
        "x has 1000000000000 columns, and a single number for each needs 4 TB of memory, but there are ",
    ),
    "names that are a number": ({"class_names": 5}, r"class_names is 5 \(int\), but names are a list: pass a list"),
    "names that are a text": ({"class_names": "ab"}, r"class_names is 'ab' \(str\), but names are a list"),
    "names that are a dictionary": ({"class_names": {0: "a", 1: "b"}}, r"is \{0: 'a', 1: 'b'\} \(dict\)"),
    "names that are a set": ({"feature_names": {"a", "b", "c"}}, r"feature_names is .* \(set\)"),
    "names that are NaN": ({"feature_names": np.nan}, r"feature_names is nan \(float\)"),
    "names in a table": ({"class_names": np.eye(2)}, r"class_names is array\(\[\[1\., 0\.\], \[0\., 1\.\]\]\)"),
    "half a character": ({"feature_names": ["\ud800", "b", "c"]}, "character number 55296, which is none in Unicode"),
    "notes that are a number": ({"notes": 5}, r"notes is 5 \(int\)"),
    "splits that are masks": ({"splits": np.eye(3, dtype=bool)}, "splits is of type ndarray: pass lsgnn.Splits"),
    "splits that are a number": ({"splits": 5}, "splits is of type int"),
    "a name that is a number": ({"name": 5}, r"name is 5 \(int\), but a name is text"),
    "a name that is None": ({"name": None}, r"name is None \(NoneType\)"),
    "one id": ({"node_ids": 5}, r"node_ids has shape \(\), but it is a list of ids"),
    "ids of bytes": ({"node_ids": np.array([b"\xff", b"a", b"b"])}, "node_ids holds .* which is not UTF-8"),
    "no nodes": ({"x": np.zeros((0, 3)), "y": []}, "the graph has no nodes: pass at least one row"),
    "no features": ({"x": np.zeros((3, 0))}, "x has no columns: pass at least one feature"),
    "flat features": ({"x": np.ones(3)}, r"x has 1 dimension\(s\).*reshape it"),
    "ragged features": ({"x": [[1, 2], [3], [4]]}, "rows of different lengths"),
    "NaN": ({"x": [[0.0], [np.nan], [1.0]]}, r"x has 1 NaN or infinite value\(s\), the first in row 1: fill or drop"),
    "infinity": ({"x": [[0.0], [1.0], [np.inf]]}, "the first in row 2"),
    "too large for float32": ({"x": [[0.0], [1.0], [1e300]]}, "the first in row 2"),
    "sparse NaN": ({"x": sp.csr_array([[0, 0], [1, 0], [1, np.nan]])}, "the first in row 2"),
    "text features": ({"x": [["a"], ["b"], ["c"]]}, "features are numbers: encode text or categories first"),
    "object features": ({"x": np.array([[1], ["a"], [None]], object)}, "x holds object values"),
    "node too large": ({"edge_index": [[0, 1], [1, 3]]}, r"edge 1 points to node 3, but the graph has nodes 0\.\.2"),
    "negative node": ({"edge_index": [[0, -1], [1, 2]]}, "edge 1 points to node -1"),
    "edges as rows": ({"edge_index": [[0, 1], [1, 2], [2, 0]]}, r"edge_index has shape \(3, 2\).*transpose it"),
    "float edges": ({"edge_index": [[0.0], [1.5]]}, "edge_index holds float64 values"),
    "named edges": ({"edge_index": [["a"], ["b"]]}, "use tables, where nodes have names"),
    "y too short": ({"y": [0, 1]}, r"y has shape \(2,\), but the graph has 3 nodes: pass one class number"),
    "one-hot y": ({"y": np.eye(3)}, r"y has shape \(3, 3\)"),
    "named y": ({"y": ["a", "b", "c"]}, "number them"),
    "fractional y": ({"y": [0.5, 1, 0]}, "y holds 0.5, but classes are whole numbers"),
    "infinite y": ({"y": [np.inf, 1, 0]}, "y holds inf"),
    "negative y": ({"y": [-2, 1, 0]}, "y holds -2, but classes are numbers 0, 1, … and -1 for unknown"),
    "years as y": ({"y": [2019, 2020, 2021]}, "y holds class 2021 in a graph of 3 nodes.*renumber them"),
    "weights too few": ({"edge_weight": [1.0]}, r"edge_weight has shape \(1,\), but there are 2 edges"),
    "negative weight": ({"edge_weight": [1.0, -2.0]}, "edge 1 has weight -2.0, .*: drop that edge or mend it"),
    "zero weight": ({"edge_weight": [0.0, 1.0]}, "edge 0 has weight 0.0.*: a weight of 0 says that there is no edge"),
    "NaN weight": ({"edge_weight": [1.0, np.nan]}, "edge 1 has weight nan"),
    "weight that vanishes": ({"edge_weight": [1.0, 1e-60]}, "edge 1 has weight 1e-60.*fit a float32"),
    "text weight": ({"edge_weight": ["a", "b"]}, "weights are numbers"),
    "duplicate ids": ({"node_ids": ["a", "b", "a"]}, "node id 'a' stands 2 times: ids must be distinct"),
    "too few ids": ({"node_ids": [1, 2]}, "there are 2 node ids for 3 nodes"),
    "too few class names": ({"class_names": ("a",)}, "y holds class 1, but only 1 class names were given"),
    "equal class names": ({"class_names": ("a", "a")}, "are not distinct"),
    "one id twice, another once": ({"node_ids": ["b", "a", "a"]}, "node id 'a' stands 2 times"),
    "equal feature names": ({"feature_names": ("a", "b", "b")}, "two feature columns are called 'b'"),
    "too few feature names": ({"feature_names": ("a", "b")}, "there are 2 feature names for 3 columns"),
    "two weights for an edge": ({"edge_weight": np.ones((2, 2))}, r"edge_weight has shape \(2, 2\)"),
    "infinite weight": ({"edge_weight": [1.0, np.inf]}, "edge 1 has weight inf"),
    "second bad edge": ({"edge_index": [[0, 3], [4, 1]]}, "edge 0 points to node 4"),
    "huge y": ({"y": [2.0**60, 1, 0]}, "y holds 1.15.*e.18, but classes are whole numbers"),
    "masks of another graph": (
        {"splits": Splits(*np.eye(4, dtype=bool)[:3])},
        "the split masks cover 4 nodes, but the graph has 3",
    ),
}


@pytest.mark.parametrize(("changes", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_in_one_sentence(changes, message):
    with pytest.raises(InputError, match=message) as caught:
        graph(**changes)
    assert "\n" not in str(caught.value)


def test_duplicate_edges_are_merged_and_reported():
    g = graph(edge_index=[[1, 0, 1], [2, 1, 2]])
    assert g.edge_index.tolist() == [[0, 1], [1, 2]]
    assert g.notes == ("1 duplicate edge(s) merged",)


def test_weights_of_merged_edges_add_up():
    g = graph(edge_index=[[1, 0, 1], [2, 1, 2]], edge_weight=[0.5, 3.0, 1.0])
    assert g.edge_weight.tolist() == [3.0, 1.5]


def test_self_loops_isolated_nodes_and_zero_rows_are_kept_and_reported():
    g = graph(x=[[1.0], [0.0], [2.0]], edge_index=[[0, 2], [1, 2]])
    assert g.num_edges == 2
    assert g.notes == (
        "1 self loop(s) (ignored by the filters)",
        "1 isolated node(s)",
        "1 node(s) with all-zero features",
    )


def test_a_graph_without_edges_is_a_graph():
    assert graph(edge_index=np.zeros((2, 0))).notes == ("3 isolated node(s)",)


def test_a_copy_does_not_repeat_its_notes():
    g = graph(edge_index=[[0, 0], [1, 1]])
    assert replace(g, name="copy").notes == g.notes == ("1 duplicate edge(s) merged", "1 isolated node(s)")


def test_labels_may_be_missing_all_or_some():
    assert graph(y=None).y.tolist() == [-1, -1, -1]
    assert graph(y=[0, -1, 1]).labelled.tolist() == [True, False, True]
    assert graph(y=[[0.0], [np.nan], [1.0]]).y.tolist() == [0, -1, 1]  # as OGB writes them


def test_classes_may_be_numbered_with_gaps_and_as_floats():
    assert graph(y=[0, 5, 1]).class_names == ("0", "1", "2", "3", "4", "5")
    assert graph(y=[200.0, 0.0, np.nan]).y.tolist() == [200, 0, -1]
    assert graph(y=[999, 0, 1]).num_classes == 1000
    with pytest.raises(InputError, match="y holds class 1000 in a graph of 3 nodes"):
        graph(y=[1000, 0, 1])
    many = Graph(x=np.ones((1500, 1)), edge_index=np.zeros((2, 0), int), y=np.arange(1500))
    assert many.num_classes == 1500


def test_weights_may_come_as_a_column_as_pyg_has_them():
    assert graph(edge_weight=[[0.5], [2]]).edge_weight.tolist() == [0.5, 2.0]


def test_learning_needs_labels_of_two_classes():
    with pytest.raises(InputError, match="graph has no labels: pass y"):
        graph(y=None).require_classes()
    with pytest.raises(InputError, match="every labelled node of graph is of class 'b'"):
        graph(y=[1, -1, 1], class_names=("a", "b")).require_classes()
    graph().require_classes()


def test_unlabelled_nodes_leave_the_splits():
    g = graph(y=[0, 1, -1], splits=Splits(mask(0), mask(1), mask(2)))
    assert g.splits.test.tolist() == [[False, False, False]]
    assert g.notes == ("1 unlabelled node(s) left out of the splits",)


def test_masks_that_overlap_are_refused():
    with pytest.raises(InputError, match="node 1 is in two masks of split 0, but train, validation and test must not"):
        Splits(mask(0, 1), mask(1), mask(2))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.bool])
def test_torch_tensors_are_read_as_they_are(dtype):
    g = graph(
        x=torch.eye(3, dtype=dtype).requires_grad_(dtype == torch.float64),
        edge_index=torch.tensor(PATH),
        y=torch.tensor([[0], [1], [0]]),
        edge_weight=torch.ones(2),
    )
    assert g.x.dtype == np.float32
    np.testing.assert_array_equal(g.x, X)
    assert g.y.tolist() == [0, 1, 0]


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.parametrize("to_sparse", [torch.Tensor.to_sparse_coo, torch.Tensor.to_sparse_csr])
def test_sparse_torch_features_stay_sparse(to_sparse):
    g = graph(x=to_sparse(torch.eye(3)))
    assert sp.issparse(g.x)
    np.testing.assert_array_equal(g.x.toarray(), X)


def test_sparse_torch_labels_and_weights_are_read_too():
    g = graph(y=torch.tensor([0, 1, 0]).to_sparse_coo(), edge_weight=torch.tensor([0.5, 2.0]).to_sparse_coo())
    assert (g.y.tolist(), g.edge_weight.tolist()) == ([0, 1, 0], [0.5, 2.0])


def test_entries_of_a_sparse_matrix_that_stand_twice_are_added():
    twice = sp.csr_array((np.array([1.0, 2.0, 4.0, 5.0, -5.0]), [0, 0, 1, 2, 2], [0, 2, 3, 5]), shape=(3, 3))
    g = graph(x=twice)
    assert (g.x.data.tolist(), g.x.indices.tolist(), g.x.indptr.tolist()) == ([3, 4], [0, 1], [0, 1, 2, 2])
    assert g.notes == ("1 node(s) with all-zero features",)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_matrix])
def test_scipy_features_become_float32_rows(form):
    g = graph(x=form(np.diag([1, 2, 3])))
    assert (g.x.format, g.x.dtype) == ("csr", np.float32)
    np.testing.assert_array_equal(g.x.toarray(), np.diag([1, 2, 3]))


def test_the_callers_sparse_matrix_is_left_alone():
    x = sp.csr_array((np.array([1, 2, 0, 3], np.float32), [2, 0, 1, 1], [0, 2, 3, 4]), shape=(3, 3))
    before = x.toarray()
    assert graph(x=x).x.nnz == 3  # the stored zero is dropped in the graph
    np.testing.assert_array_equal(x.toarray(), before)
    assert x.indices.tolist() == [2, 0, 1, 1]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ([7, 5, 6], [7, 5, 6]),
        (["b", "a", "ü"], ["b", "a", "ü"]),
        (np.array([7, 5, 6], object), [7, 5, 6]),
        (np.array([7, "a", (1, 2)], object), ["7", "a", "(1, 2)"]),
        ([10**30, 1, 2], [str(10**30), "1", "2"]),
        ([b"b", "ü".encode(), b"a"], ["b", "ü", "a"]),
    ],
)
def test_node_ids_keep_their_type(given, stored):
    assert graph(node_ids=given).node_ids.tolist() == stored


def test_no_names_are_none():
    g = graph(class_names=None, feature_names=None, notes=None)
    assert (g.class_names, g.feature_names, g.notes) == (("0", "1"), (), ())


def test_one_very_long_id_among_many_is_refused_before_numpy_gives_each_its_room():
    ids = ["x" * 10**7, *range(10**5 - 1)]
    with pytest.raises(InputError, match=r"a text of 10000000 characters among 100000 needs 4 TB of memory, but"):
        Graph(x=np.ones((10**5, 1)), edge_index=[[0], [1]], node_ids=np.array(ids, object))


WRONG = [None, 5, -1, 2.5, np.nan, True, "abc", b"abc", [], [[1, 2], [3]], ["a", None, 1], {}, {"a": 1}, {1, 2}, 10**30]
WRONG += [np.array(5), np.array([[["a"]]]), np.array([1, "a", None], object), np.array(["2020-01-01"] * 3, "M8[D]")]
WRONG += [np.zeros(3, [("a", "f4")]), torch.tensor(3.0), sp.eye_array(3), outside(), Stubborn(), object, range(3)]
ARGUMENTS = [
    "x",
    "edge_index",
    "y",
    "edge_weight",
    "node_ids",
    "class_names",
    "feature_names",
    "splits",
    "name",
    "notes",
]


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_no_wrong_value_is_a_traceback(argument):
    """Refused in a line, or taken; any other exception fails the test."""
    for value in WRONG:
        try:
            graph(**{argument: value})
        except InputError as error:
            message = str(error)
        else:
            message = ""
        assert "\n" not in message, (argument, value)
        assert len(message) < 300


def test_names_of_empty_classes_are_kept():
    assert graph(class_names=("a", "b", "never seen")).num_classes == 3


def test_repeated_edges_whose_weights_no_float32_can_hold_together_are_named():
    twice = dict(edge_index=[[0, 0, 1], [1, 1, 2]], edge_weight=[2e38, 2e38, 1.0], node_ids=["a", "b", "c"])
    message = (
        r"the edge 'a' → 'b' stands 2 times, and its weights add up to 4e\+38, but a float32 holds 3.4e\+38 at most"
    )
    with pytest.raises(InputError, match=message):
        graph(**twice)
    assert graph(**twice | {"edge_weight": [1e38, 2e38, 1.0]}).edge_weight[0] == np.float32(3e38)


def test_repeated_entries_of_sparse_features_that_overflow_together_are_named():
    x = sp.csr_array((np.array([1, 2e38, 2e38, 1], np.float32), [0, 1, 1, 2], [0, 1, 3, 4]), shape=(3, 3))
    with pytest.raises(InputError, match="repeated entries in row 1 that add up to more than a float32 holds"):
        graph(x=x)


def test_whole_numbers_among_objects_are_ids_as_far_as_64_bits_go():
    ends = [-(2**63), 0, 2**63 - 1]
    assert graph(node_ids=np.array(ends, dtype=object)).node_ids.dtype == np.int64
    assert graph(node_ids=np.array([*ends[:2], 2**63], dtype=object)).node_ids[2] == str(2**63)
