"""New nodes attached to a known graph, by hand; against recomputing everything: see test_predict."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from lsgnn import Graph, InputError, LSGNNConfig
from lsgnn.graph.new_nodes import enlarged, new_nodes
from lsgnn.nn.attached_rows import attached_rows
from lsgnn.propagate.precompute import precompute

# known: 0 ↔ 1 and a self loop on 1; new: 2 → 0, 2 → 1 and a self loop on 2
KNOWN = Graph(x=np.eye(3)[:2], edge_index=[[0, 1, 1], [1, 0, 1]])


def stack(edge_weight: list[float] | None = None, known: Graph = KNOWN, **settings: object) -> np.ndarray:
    """X, one low-pass and one high-pass hop of node 2 [3, 3]."""
    config = LSGNNConfig(K=1, direction="out", **settings)
    new = new_nodes(known, [[0.0, 0.0, 1.0]], [(2, 0), (2, 1), (2, 2)], edge_weight=edge_weight)
    channels = attached_rows(known, precompute(known, config), new, config).channels
    return channels.project(torch.eye(3).expand(3, 3, 3))[:, 0].numpy()


@pytest.mark.parametrize("degree", ["plain", "with_self_loop"])
def test_the_self_loop_filter_counts_a_new_node_once(degree: str) -> None:
    """Degrees with one loop each: 3 for the new node, 2 for the known ones; the loops of the data add nothing."""
    link = 1 / np.sqrt(3 * 2)
    low = [link, link, 1 / 3]
    np.testing.assert_allclose(
        stack(filter="self_loop", degree=degree), [[0, 0, 1], low, [0, 0, 1] - np.array(low)], atol=1e-6
    )


@pytest.mark.parametrize(("degree", "link"), [("plain", 1 / np.sqrt(2 * 1)), ("with_self_loop", 1 / np.sqrt(3 * 2))])
def test_the_degree_of_a_new_node_counts_itself_or_not(degree: str, link: float) -> None:
    expected = [[0, 0, 1], [link, link, 0.25], [-link, -link, 0.75]]
    np.testing.assert_allclose(stack(degree=degree, beta=0.25), expected, atol=1e-6)


def test_light_edges_of_a_new_node_are_divided_by_degrees_below_one() -> None:
    known = Graph(x=KNOWN.x, edge_index=[[0, 1], [1, 0]], edge_weight=[0.1, 0.1])
    a, b = 0.3 / np.sqrt(0.4 * 0.1), 0.1 / np.sqrt(0.4 * 0.1)
    expected = [[0, 0, 1], [a, b, 0.5], [-a, -b, 0.5]]
    np.testing.assert_allclose(stack([0.3, 0.1, 0.7], known, degree="plain", beta=0.5), expected, atol=1e-6)


def test_weights_of_new_edges_count_where_the_known_ones_have_none() -> None:
    a, b = 0.3 / np.sqrt(0.4 * 1), 0.1 / np.sqrt(0.4 * 1)
    expected = [[0, 0, 1], [a, b, 0.5], [-a, -b, 0.5]]
    np.testing.assert_allclose(stack([0.3, 0.1, 0.7], degree="plain", beta=0.5), expected, atol=1e-6)


def test_new_nodes_are_numbered_after_the_known_ones_or_named() -> None:
    def ids(*known: object) -> list[object]:
        graph = Graph(x=np.ones((len(known), 1)), edge_index=np.zeros((2, 0), int), node_ids=list(known))
        return new_nodes(graph, np.ones((2, 1)), []).node_ids.tolist()

    assert ids(10, 3) == [11, 12]
    assert ids("a", "b") == ["new-0", "new-1"]
    assert ids("new-1", "new-0", "new-3") == ["new-2", "new-4"]


def test_edges_of_new_nodes_end_at_the_numbers_of_their_ids() -> None:
    graph = Graph(x=np.eye(2), edge_index=np.zeros((2, 0), int), node_ids=["a", "b"])
    new = new_nodes(graph, np.eye(2), np.array([("u", "b"), ("a", "v"), ("v", "u")]), ["u", "v"])
    assert new.edge_index.tolist() == [[2, 0, 3], [1, 3, 2]]
    assert new.edge_weight is None


def test_a_weight_given_for_new_edges_alone_leaves_the_known_ones_at_one() -> None:
    new = new_nodes(KNOWN, [[0.0, 0.0, 1.0]], [(2, 0), (1, 2)], edge_weight=[0.5, 3])
    larger = enlarged(KNOWN, new)
    assert larger.num_nodes == 3
    weights = dict(zip(map(tuple, larger.edge_index.T.tolist()), larger.edge_weight.tolist(), strict=True))
    assert weights == {(0, 1): 1, (1, 0): 1, (1, 1): 1, (2, 0): 0.5, (1, 2): 3}
    assert enlarged(KNOWN, new_nodes(KNOWN, [[0.0, 0.0, 1.0]], [(2, 0)])).edge_weight is None


@pytest.mark.parametrize(("known", "new"), [(np.asarray, sp.csr_array), (sp.csr_array, np.asarray)])
def test_sparse_and_dense_features_may_meet(known, new) -> None:  # type: ignore[no-untyped-def]
    graph = Graph(x=known(KNOWN.x), edge_index=KNOWN.edge_index)
    config = LSGNNConfig(K=1, direction="out")
    nodes = new_nodes(graph, new(np.array([[0.0, 0.0, 2.0]])), [(2, 0), (2, 1), (2, 2)])
    rows = attached_rows(graph, precompute(graph, config), nodes, config)
    np.testing.assert_allclose(rows.channels.project(torch.eye(3).expand(3, 3, 3))[:, 0].numpy(), stack(), atol=1e-6)
    whole = enlarged(graph, nodes).x
    np.testing.assert_array_equal(whole.toarray(), [[1, 0, 0], [0, 1, 0], [0, 0, 2]])


@pytest.mark.parametrize(
    ("edges", "weight", "message"),
    [
        ([(2, 0), (0, 1)], None, "the edge 0 → 1 joins two known nodes"),
        (7, None, "edges must be pairs"),
        ([(2, 0), (2,)], None, "edges must be pairs"),
        ([(2, 0)], ["heavy"], "edge_weight is not a list of numbers .* pass one positive number per edge"),
    ],
)
def test_what_is_not_an_edge_of_a_new_node_is_refused(edges: object, weight: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        new_nodes(KNOWN, [[0.0, 0.0, 1.0]], edges, edge_weight=weight)


def test_the_memory_of_two_new_nodes_is_counted_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """In doubles of three columns each: two hops of two known neighbours, and ten rows for each new node."""
    asked = list[int]()
    monkeypatch.setattr("lsgnn.nn.attached_rows.require_memory", lambda needed, what, fix: asked.append(needed))
    config = LSGNNConfig(K=2, direction="out")
    new = new_nodes(KNOWN, np.eye(3)[1:], [(2, 0), (3, 1)])
    attached_rows(KNOWN, precompute(KNOWN, config), new, config)
    assert asked == [8 * (2 * 2 + 10 * 2) * 3]
