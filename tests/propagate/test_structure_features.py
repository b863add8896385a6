"""Log degrees as columns beside the user's own: by hand, and what they promise on any graph."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import Graph, LSGNNConfig
from lsgnn.graph.new_nodes import enlarged, new_nodes
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.structure_features import (
    DegreeScale,
    Scales,
    log_degrees,
    new_with_structure,
    with_structure,
)
from lsgnn.zoo.majority import MajorityConfig
from tests.graphs import random_graph, two_blocks

DEGREES = LSGNNConfig(structure_features="degrees")
# 0 → 1, 0 → 2, 2 → 0 and a self loop on 1
EDGES = np.array([[0, 0, 2, 1], [1, 2, 0, 1]])


def columns(graph: Graph, scales: Scales | None = None, config: LSGNNConfig = DEGREES) -> np.ndarray:
    """The degrees that joined the user's columns; the constant stands behind them."""
    x = with_structure(graph, config, scales)[0].x[:, graph.num_features : -1]
    return np.asarray(x.toarray() if sp.issparse(x) else x)


def test_distinct_edges_count_and_self_loops_do_not() -> None:
    twice = np.concatenate([EDGES, EDGES], axis=1)
    np.testing.assert_allclose(log_degrees(twice, 3, two_ways=True), np.log([[3, 2], [1, 2], [2, 2]]))


def test_both_ways_as_one_counts_a_neighbour_once() -> None:
    np.testing.assert_allclose(log_degrees(EDGES, 3, two_ways=False), np.log([[3], [2], [2]]))


def test_columns_by_hand() -> None:
    graph = Graph(x=[[3.0], [4.0], [0.0]], edge_index=EDGES)
    out = np.log([3, 1, 2])
    expected = np.stack(
        [[1, 1, 0], (out - out.mean()) / out.std(), [0, 0, 0], [1, 1, 1]], axis=1
    )  # all have one in-link
    found, config = with_structure(graph, DEGREES)
    np.testing.assert_allclose(found.x, expected, atol=1e-6)
    assert (config.feature_norm, config.structure_features) == ("none", "none")


def test_weights_of_edges_play_no_part() -> None:
    graph = Graph(x=np.ones((3, 1)), edge_index=EDGES)
    heavy = Graph(x=graph.x, edge_index=EDGES, edge_weight=[9.0, 0.1, 5, 1])
    np.testing.assert_array_equal(columns(heavy), columns(graph))


def test_an_undirected_graph_has_one_column() -> None:
    assert columns(two_blocks()).shape[1] == 1
    assert columns(random_graph()).shape[1] == 2


@given(st.integers(0, 10_000), st.booleans())
def test_columns_have_mean_zero_and_std_one_and_follow_their_nodes(seed: int, sparse: bool) -> None:
    graph = random_graph(seed, sparse=sparse)
    found = columns(graph)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(found.std(axis=0), 1, atol=1e-5)
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    renamed = Graph(x=graph.x[order], edge_index=np.argsort(order)[graph.edge_index])
    np.testing.assert_allclose(columns(renamed), found[order], atol=1e-6)


@pytest.mark.parametrize("edges", [np.zeros((2, 0), int), np.array([[0, 1, 2, 3], [1, 2, 3, 0]])])
def test_equal_degrees_are_zero_columns(edges: np.ndarray) -> None:
    graph = Graph(x=np.ones((4, 2)), edge_index=edges)
    assert not columns(graph).any()
    scales = Scales.of(graph, DEGREES)
    assert not columns(Graph(x=np.ones((3, 2)), edge_index=EDGES), scales).any()  # of another graph neither


def test_another_graph_is_on_the_scale_of_the_known_one() -> None:
    scale = DegreeScale(np.array([np.log(2)]), np.array([0.5]))
    graph = Graph(x=np.ones((3, 1)), edge_index=EDGES)  # one-way edges, yet one column, as the known graph has
    expected = [[2 * np.log(3 / 2)], [0], [0]]
    np.testing.assert_allclose(columns(graph, Scales(degrees=scale)), expected, atol=1e-6)


@pytest.mark.parametrize("norm", ["l1", "l2", "standard", "none"])
def test_the_users_columns_are_scaled_as_without_degrees(norm: str) -> None:
    graph = random_graph()
    found, _ = with_structure(graph, DEGREES.replace(feature_norm=norm))
    np.testing.assert_array_equal(found.x[:, :12], normalize_features(graph.x, norm))


def test_sparse_features_stay_sparse_and_named_columns_named() -> None:
    graph = random_graph(sparse=True)
    found, _ = with_structure(graph, DEGREES)
    assert sp.issparse(found.x)
    np.testing.assert_allclose(found.x.toarray(), with_structure(random_graph(), DEGREES)[0].x, atol=1e-6)
    named = Graph(x=np.ones((3, 2)), edge_index=EDGES, feature_names=("age", "income"))
    assert with_structure(named, DEGREES)[0].feature_names[:2] == ("age", "income")


def test_without_degrees_everything_stays_as_it_is() -> None:
    graph, look_up = random_graph(), MajorityConfig(structure_features="degrees")
    new = new_nodes(graph, np.ones((1, 12)), [(40, 0)])
    for config in (LSGNNConfig(), look_up):
        assert with_structure(graph, config) == (graph, config)
        assert new_with_structure(graph.num_nodes, new, config, Scales.of(graph, config)) is new


@pytest.mark.parametrize("graph", [random_graph(), two_blocks()], ids=["directed", "undirected"])
@pytest.mark.parametrize("edges", [[(-1, 0), (0, -1), (-1, 2), (-2, -1), (-1, -1), (3, -2)], []])
def test_new_nodes_have_the_degrees_of_the_enlarged_graph(graph: Graph, edges: list) -> None:
    n, scales = graph.num_nodes, Scales.of(graph, DEGREES)
    numbered = [tuple(end if end >= 0 else n - 1 - end for end in pair) for pair in edges]
    new = new_nodes(graph, np.asarray(graph.x)[:2], numbered)
    exact, _ = with_structure(enlarged(graph, new), DEGREES, scales)
    np.testing.assert_allclose(new_with_structure(graph.num_nodes, new, DEGREES, scales).x, exact.x[n:], atol=1e-6)
