"""LocalSim against homophily, on a graph small enough to count."""

from __future__ import annotations

import numpy as np
import pytest

from lsgnn import Graph
from paper.homophily import homophily_and_localsim, measure

# 0 → 1, 0 → 2, 3 → 3 (a self loop is no neighbour); node 4 has no label, node 2 is its only neighbour
GRAPH = Graph(
    x=np.array([[1.0, 0], [1, 0], [0, 1], [1, 1], [0, 1]]),
    edge_index=np.array([[0, 0, 3, 2], [1, 2, 3, 4]]),
    y=np.array([0, 0, 1, 1, -1]),
)


def test_homophily_and_localsim_of_out_neighbours_by_hand() -> None:
    share, phi = homophily_and_localsim(GRAPH, "out")
    np.testing.assert_allclose(share, [0.5])  # node 0 has one neighbour of its class and one of another
    np.testing.assert_allclose(phi, [0.5])


def test_direction_decides_whose_neighbours_count() -> None:
    share, phi = homophily_and_localsim(GRAPH, "in")
    np.testing.assert_allclose(share, [1, 0])
    np.testing.assert_allclose(phi, [1, 0])
    assert len(homophily_and_localsim(GRAPH, "undirected")[0]) == 3


def test_bins_hold_every_node_once_and_full_homophily_is_in_the_last() -> None:
    measured = measure(GRAPH, "in", bins=10)
    counts = [b["nodes"] for b in measured["bins"]]
    assert counts == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert measured["spearman"] == pytest.approx(1.0)


def test_a_graph_without_variation_has_no_correlation() -> None:
    graph = Graph(x=np.eye(3), edge_index=np.array([[0, 1], [1, 0]]), y=np.array([0, 1, 0]))
    assert np.isnan(measure(graph, "out", bins=10)["spearman"])
