import math

import numpy as np
import pytest

from lsgnn import LSGNNConfig
from lsgnn.datasets import fsbm
from lsgnn.report.neighbourhoods import _ranks, homophily_of_nodes, neighbourhoods, node_likeness, spearman
from tests.report.graphs import five_nodes


def test_homophily_of_each_node_by_hand() -> None:
    nan = math.nan
    graph = five_nodes()  # self loops do not count, and neither does the unlabelled node 3
    np.testing.assert_array_equal(homophily_of_nodes(graph, "out"), [0.5, 1, nan, nan, nan])
    np.testing.assert_array_equal(homophily_of_nodes(graph, "in"), [1, 1, 0, nan, nan])
    np.testing.assert_array_equal(homophily_of_nodes(graph, "undirected"), [0.5, 1, 0, nan, nan])


def test_directions_by_hand() -> None:
    both, out, into = neighbourhoods(five_nodes(), ("undirected", "out", "in"), LSGNNConfig())
    assert (both.without_neighbours, out.without_neighbours, into.without_neighbours) == (1, 2, 2)
    assert (out.node_homophily, out.measured_nodes) == (0.75, 2)
    assert into.node_homophily == pytest.approx(2 / 3)
    assert out.edge_homophily == pytest.approx(2 / 3)  # 0 → 1, 1 → 0 alike, 0 → 2 not; 3 → 2 has no class to compare


def test_likeness_counts_measured_nodes_only() -> None:
    found = node_likeness(five_nodes(), LSGNNConfig())
    assert sum(found.histogram.counts) == 3
    assert (found.mostly_alike, found.mostly_unlike) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_localsim_follows_homophily_on_the_papers_toy_graph() -> None:
    config = LSGNNConfig(feature_norm="none", similarity="squared")
    graph = fsbm(0.9, 0.1, n=200, seed=0)
    (both,) = neighbourhoods(graph, ("undirected",), config)
    bins = node_likeness(graph, config).homophily_by_localsim
    assert both.localsim_correlation > 0.3
    assert bins[-1].value.mean > bins[0].value.mean + 0.2


def test_spearman_by_hand_and_where_it_is_not_defined() -> None:
    assert spearman(np.array([1.0, 2, 3]), np.array([10.0, 100, 1000])) == pytest.approx(1)
    assert spearman(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 4, 3])) == pytest.approx(0.8)
    assert math.isnan(spearman(np.ones(3), np.arange(3.0)))


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    assert _ranks(np.array([3.0, 1.0, 3.0, 2.0, 3.0])).tolist() == [4, 1, 4, 2, 4]
