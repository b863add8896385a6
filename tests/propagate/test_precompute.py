import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph, InputError, LSGNNConfig
from lsgnn.propagate import precompute as module
from lsgnn.propagate.irdc import MAX_BASIS_K
from lsgnn.propagate.precompute import channels, precompute, stack_bytes
from tests.graphs import random_graph


def by_definition(graph: Graph, config: LSGNNConfig) -> np.ndarray:
    """Equations 3 and 4 with dense float64 matrices."""
    A = np.zeros((graph.num_nodes,) * 2)
    A[tuple(graph.edge_index)] = 1
    np.fill_diagonal(A, 0)
    D = A.sum(axis=1) + 1
    A = A / np.sqrt(np.outer(D, D))
    x = graph.x.toarray() if sp.issparse(graph.x) else graph.x
    X = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-30)
    I, out = np.eye(len(A)), [X]
    for S in (config.beta * I + A, (1 - config.beta) * I - A):
        hops = [S @ X]
        for _ in range(1, config.K):
            hops.append(S @ ((1 - config.gamma) * X - config.gamma * sum(hops)))
        out += hops
    return np.stack(out)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("K", [1, 5, MAX_BASIS_K + 4])
def test_channels_are_x_then_low_then_high_hops(sparse: bool, K: int) -> None:
    graph, config = random_graph(sparse=sparse), LSGNNConfig(K=K, beta=0.3, gamma=0.7, direction="out")
    ours = channels(precompute(graph, config), config)
    assert ours.dtype == np.float32
    assert np.allclose(ours, by_definition(graph, config), atol=2e-5)


@pytest.mark.parametrize("K", [1, 3, MAX_BASIS_K + 1])
def test_both_directions_are_the_hops_of_either_after_each_other(K: int) -> None:
    graph, config = random_graph(), LSGNNConfig(K=K, beta=0.3, gamma=0.7, direction="both")
    out, back = (
        channels(precompute(graph, one), one) for one in (config.replace(direction=way) for way in ("out", "in"))
    )
    both = channels(precompute(graph, config), config)
    expected = [out[:1], out[1 : K + 1], back[1 : K + 1], out[K + 1 :], back[K + 1 :]]
    np.testing.assert_array_equal(both, np.concatenate(expected))


def test_propagated_features_are_compared_by_their_means_over_neighbourhoods() -> None:
    x, edges = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.array([[0, 1], [1, 2]])
    config = LSGNNConfig(direction="out", localsim_space="propagated", feature_norm="none")
    pre = precompute(Graph(x=x, edge_index=edges), config)  # 0 reads 1, 1 reads 2, 2 reads none
    means = np.array([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])
    cosines = [1.0, (means[1] @ means[2]) / np.linalg.norm(means[1]), 0.0]
    np.testing.assert_allclose(pre.similarity.naive_localsim(), cosines, rtol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("K", [3, MAX_BASIS_K + 1])
def test_narrow_column_blocks_give_the_same_channels(monkeypatch: pytest.MonkeyPatch, K: int, sparse: bool) -> None:
    graph, config = random_graph(d=20, sparse=sparse), LSGNNConfig(K=K)
    whole = channels(precompute(graph, config), config)
    monkeypatch.setattr(module, "CACHE_BYTES", 1)
    monkeypatch.setattr(module, "NARROWEST_BLOCK", 7)  # 7, 7 and 6 columns
    assert np.array_equal(channels(precompute(graph, config), config), whole)


def test_basis_and_recurrence_agree_up_to_their_common_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, config = random_graph(), LSGNNConfig(K=MAX_BASIS_K, beta=1.0, gamma=0.5)
    pre = precompute(graph, config)
    by_basis = channels(pre, config)
    monkeypatch.setattr(module, "MAX_BASIS_K", 0)
    assert np.abs(channels(pre, config) - by_basis).max() < 1e-4


@pytest.mark.parametrize("K", [3, MAX_BASIS_K + 1])
def test_some_rows_are_those_rows_of_all(K: int) -> None:
    graph, config = random_graph(), LSGNNConfig(K=K)
    pre, rows = precompute(graph, config), np.array([4, 0, 7])
    assert np.array_equal(channels(pre, config, rows), channels(pre, config)[:, rows])


def test_directions_agree_on_a_symmetric_graph_and_swap_when_edges_are_reversed() -> None:
    graph = random_graph()
    both = Graph(x=graph.x, edge_index=np.concatenate([graph.edge_index, graph.edge_index[::-1]], axis=1))
    reverse = Graph(x=graph.x, edge_index=graph.edge_index[::-1])

    def made(g: Graph, direction: str) -> np.ndarray:
        return channels(precompute(g, c := LSGNNConfig(K=2, direction=direction)), c)

    for direction in ("out", "in"):
        assert np.allclose(made(both, direction), made(both, "undirected"))
    assert np.allclose(made(graph, "out"), made(reverse, "in"))


def test_localsim_reads_the_neighbourhood_it_is_told_to() -> None:
    graph = Graph(x=[[1.0, 0], [1, 0], [0, 1]], edge_index=[[0, 1, 2], [1, 2, 2]])  # 0→1→2, loop on 2

    def phi(**settings: object) -> list[float]:
        return precompute(graph, LSGNNConfig(**settings)).similarity.naive_localsim().tolist()

    assert phi(direction="out") == [1, 0, 0]
    assert phi(direction="out", localsim_direction="in") == [0, 1, 0]
    assert phi(direction="out", localsim_direction="in", localsim_self_loops=True) == [0, 1, 0.5]
    assert phi(direction="out", localsim_direction="undirected") == [1, 0.5, 0]


def test_standardised_features_keep_the_scale_they_are_on() -> None:
    graph, config = Graph(x=[[1.0], [3.0]], edge_index=[[0], [1]]), LSGNNConfig(feature_norm="standard")
    own = precompute(graph, config)
    assert own.x.tolist() == [[-1], [1]]
    assert (own.columns.mean.tolist(), own.columns.variance.tolist()) == ([2], [1])
    larger = Graph(x=[[5.0], [1.0], [3.0]], edge_index=[[0], [1]])
    by_the_known = precompute(larger, config, own.columns)
    assert by_the_known.x.tolist() == [[3], [-1], [1]]
    assert by_the_known.columns is own.columns
    assert precompute(graph, LSGNNConfig()).columns is None


def test_links_are_the_out_links_with_self_loops_where_they_are_embedded() -> None:
    graph = Graph(x=np.ones((3, 2)), edge_index=[[0, 1, 2], [1, 2, 2]])
    pre = precompute(graph, LSGNNConfig(adjacency_embedding=True, direction="in"))
    assert pre.links.toarray().tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert precompute(graph, LSGNNConfig()).links is None
    assert pre.num_nodes == 3


def test_memory_is_counted_by_hand_and_asked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    n, d, rows = 10, 5, 4
    assert stack_bytes(LSGNNConfig(K=3), n, d) == 4 * (7 * n * d + 4 * n * d)  # the stack and four powers
    assert stack_bytes(LSGNNConfig(K=3), n, d, rows) == 4 * (7 * rows * d + 4 * n * d)
    assert stack_bytes(LSGNNConfig(K=17), n, d) == 4 * (35 * n * d + 17 * n * d)  # too deep for powers: all hops
    monkeypatch.setattr("lsgnn.memory.available_memory", lambda: 10)
    monkeypatch.setattr("lsgnn.memory.ASKED_FROM", 0)
    with pytest.raises(InputError, match=r"to precompute random-0 needs .* of memory, but there are 10 bytes"):
        precompute(random_graph(), LSGNNConfig())
