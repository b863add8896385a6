import numpy as np
import pytest
import torch
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from lsgnn import Graph, LSGNNConfig
from lsgnn.propagate.filters import adjacency, filter_pair, normalized_adjacency
from lsgnn.propagate.precompute import precompute

# 0 → 1 → 2, 0 → 2, a self loop on 2, node 3 alone
EDGES = np.array([[0, 1, 0, 2], [1, 2, 2, 2]])
GRAPH = Graph(x=np.eye(4), edge_index=EDGES)


def test_out_reads_the_targets_of_a_nodes_own_edges() -> None:
    assert adjacency(GRAPH, "out").toarray().tolist() == [[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_in_is_the_transpose_of_out_and_undirected_joins_both() -> None:
    out, into, both = (adjacency(GRAPH, d).toarray() for d in ("out", "in", "undirected"))
    assert (into == out.T).all()
    assert (both == np.maximum(out, out.T)).all()


def test_self_loops_are_dropped_unless_asked_for() -> None:
    assert adjacency(GRAPH, "out").diagonal().sum() == 0
    assert adjacency(GRAPH, "out", self_loops=True).diagonal().tolist() == [0, 0, 1, 0]


def test_edge_weights_become_the_entries_of_the_matrix() -> None:
    weighted = Graph(x=np.eye(3), edge_index=[[0, 1], [1, 0]], edge_weight=[2.0, 5.0])
    assert adjacency(weighted, "out").toarray()[0, 1] == 2
    assert adjacency(weighted, "undirected").toarray()[0, 1] == 5


def test_degrees_count_the_node_itself_or_not() -> None:
    A = adjacency(GRAPH, "out")
    plain = normalized_adjacency(A, "plain").toarray()
    with_loop = normalized_adjacency(A, "with_self_loop").toarray()
    assert plain[0, 1] == pytest.approx(1 / np.sqrt(2 * 1))
    assert with_loop[0, 1] == pytest.approx(1 / np.sqrt(3 * 2))
    assert np.isfinite(plain).all()  # node 2 has out-degree 0


def test_the_self_loop_filter_is_gcns() -> None:
    edges = torch.tensor([[0, 1, 1, 2, 0, 3], [1, 0, 2, 1, 3, 0]])
    index, weight = gcn_norm(edges, None, 4, add_self_loops=True)
    expected = torch.zeros(4, 4).index_put_((index[1], index[0]), weight)
    graph = Graph(x=np.eye(4), edge_index=edges)
    ours = normalized_adjacency(adjacency(graph, "undirected"), "plain", "self_loop").toarray()
    assert np.allclose(ours, expected.numpy(), atol=1e-7)


@pytest.mark.parametrize("degree", ["plain", "with_self_loop"])
def test_the_self_loop_filter_counts_a_node_once_whatever_the_degree(degree: str) -> None:
    pair = Graph(x=np.eye(3), edge_index=[[0, 1], [1, 0]])
    ours = normalized_adjacency(adjacency(pair, "out"), degree, "self_loop").toarray()
    assert np.allclose(ours, [[1 / 2, 1 / 2, 0], [1 / 2, 1 / 2, 0], [0, 0, 1]])


def test_self_loops_of_the_data_add_nothing_to_the_filters_own() -> None:
    pair, looped = ([[0, 1], [1, 0]], [[0, 1, 0, 2], [1, 0, 0, 2]])
    for kind, expected in (("self_loop", 1 / 2), ("weighted_self_loop", 0.0)):
        config = LSGNNConfig(filter=kind)
        with_loops, without = (
            precompute(Graph(x=np.eye(3), edge_index=e), config).adj.toarray() for e in (looped, pair)
        )
        assert with_loops[0, 0] == pytest.approx(expected)
        assert np.array_equal(with_loops, without)


def test_weights_below_one_are_weights_like_any_other() -> None:
    A = adjacency(Graph(x=np.eye(3), edge_index=[[0, 0, 1, 2], [1, 2, 0, 0]], edge_weight=[0.1, 0.3, 0.1, 0.3]), "out")
    assert np.allclose(
        normalized_adjacency(A, "plain").toarray()[0], [0, 0.1 / np.sqrt(0.4 * 0.1), 0.3 / np.sqrt(0.4 * 0.3)]
    )
    with_loop = normalized_adjacency(A, "with_self_loop").toarray()[0]
    assert np.allclose(with_loop, [0, 0.1 / np.sqrt(1.4 * 1.1), 0.3 / np.sqrt(1.4 * 1.3)])


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("kind", ["weighted_self_loop", "self_loop"])
def test_low_and_high_pass_add_up_to_the_identity(beta: float, kind: str) -> None:
    low, high = filter_pair(kind, beta)
    assert (low.a + high.a, low.b + high.b) == (1, 0)


def test_beta_plays_no_part_where_the_filter_holds_the_self_loop_itself() -> None:
    assert filter_pair("self_loop", 0.3) == ((0, 1), (1, -1))
    assert filter_pair("weighted_self_loop", 0.25) == ((0.25, 1), (0.75, -1))
