"""Homophily by hand on tiny graphs, and equal to PyG where PyG has the measure."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.utils import homophily as pyg_homophily

from lsgnn import Graph, homophily
from lsgnn.graph.homophily import labelled_edges, node_homophily


def measure(y, *edges):
    edge_index = np.array(edges).reshape(-1, 2).T
    return homophily(Graph(x=np.ones((len(y), 1)), edge_index=edge_index, y=y))


def both_ways(*edges):
    return [*edges, *((v, u) for u, v in edges)]


def test_a_path_of_two_classes_by_hand():
    h = measure([0, 0, 1, 1], *both_ways((0, 1), (1, 2), (2, 3)))  # a a b b
    assert h.edge == pytest.approx(4 / 6)
    assert h.node == pytest.approx((1 + 1 / 2 + 1 / 2 + 1) / 4)
    assert h.class_insensitive == pytest.approx(2 * (2 / 3 - 1 / 2))
    assert h.adjusted == pytest.approx((2 / 3 - 1 / 2) / (1 - 1 / 2))
    joint = [1 / 3, 1 / 6, 1 / 6, 1 / 3]
    assert h.label_informativeness == pytest.approx(2 + sum(p * math.log(p) for p in joint) / math.log(2))


def test_direction_and_unequal_classes_by_hand():
    h = measure([0, 0, 1, 0, 1], (0, 1), (1, 2), (3, 2), (4, 2))
    assert h.edge == pytest.approx(2 / 4)
    assert h.node == pytest.approx((1 + 1 / 3) / 2)  # nodes 0, 3 and 4 have no in-neighbour and do not count
    assert h.class_insensitive == pytest.approx(max(0, 1 - 3 / 5) + max(0, 1 / 3 - 2 / 5))
    p = (4 / 8, 4 / 8)
    assert h.adjusted == pytest.approx((1 / 2 - sum(q * q for q in p)) / (1 - sum(q * q for q in p)))


def test_perfect_homophily_is_one_in_every_measure():
    h = measure([0, 0, 1, 1, 1], *both_ways((0, 1), (2, 3), (3, 4)))
    assert (h.node, h.edge, h.adjusted) == (1, 1, 1)
    assert h.label_informativeness == pytest.approx(1)
    assert h.class_insensitive == pytest.approx(3 / 5 + 2 / 5)


def test_perfect_heterophily_is_as_informative_as_perfect_homophily():
    h = measure([0, 1, 0, 1], *both_ways((0, 1), (1, 2), (2, 3), (3, 0)))
    assert (h.node, h.edge) == (0, 0)
    assert h.adjusted == pytest.approx(-1)
    assert h.label_informativeness == pytest.approx(1)


def test_neighbours_that_tell_nothing_have_no_information():
    # every ordered pair of classes once
    h = measure([0, 0, 1, 1], *both_ways((0, 1), (1, 2), (2, 3), (3, 0)))
    assert h.adjusted == pytest.approx(0)
    assert h.label_informativeness == pytest.approx(0)


def test_per_node_shares_tell_no_neighbour_from_no_alike_neighbour():
    edges = np.array([[0, 1, 3], [1, 2, 2]])
    np.testing.assert_array_equal(node_homophily(edges, np.array([0, 0, 1, 1])), [np.nan, 1, 1 / 2, np.nan])


def test_unlabelled_nodes_and_their_edges_do_not_count():
    edges = both_ways((0, 1), (1, 2))
    assert measure([0, 0, 1, -1], *edges, (3, 0), (2, 3)) == measure([0, 0, 1], *edges)
    assert labelled_edges(np.array([[0, 1], [1, 2]]), np.array([0, 1, -1])).tolist() == [[0], [1]]


@pytest.mark.parametrize("y", [[0, 1], [-1, -1], [0, 0]])
def test_measures_without_a_meaning_are_nan_not_errors(y):
    edges = [] if y == [0, 1] else both_ways((0, 1))
    h = measure(y, *edges)
    assert math.isnan(h.adjusted)
    assert math.isnan(h.label_informativeness)
    assert math.isnan(h.class_insensitive)


def test_nodes_without_labelled_neighbours_are_no_sign_of_heterophily():
    edges = both_ways((0, 1))
    assert measure([0, 0], *edges).node == measure([0, 0, 1, 1, -1], *edges, (2, 4), (4, 3)).node == 1
    assert math.isnan(measure([0, 1]).node)


@given(st.integers(3, 20), st.integers(1, 60), st.integers(2, 4), st.integers(0, 10**6))
def test_equal_to_pyg(n, E, C, seed):
    random = np.random.default_rng(seed)
    y = np.concatenate([np.arange(2), random.integers(0, C, n - 2)])
    g = Graph(x=np.ones((n, 1)), edge_index=random.integers(0, n, (2, E)), y=y)
    ours, edges, labels = homophily(g), torch.tensor(g.edge_index), torch.tensor(y)
    read = len(np.unique(g.edge_index[1])) / n  # PyG counts the others as 0
    assert ours.node * read == pytest.approx(pyg_homophily(edges, labels, method="node"), abs=1e-6)
    assert ours.edge == pytest.approx(pyg_homophily(edges, labels, method="edge"), abs=1e-6)
    assert ours.class_insensitive == pytest.approx(pyg_homophily(edges, labels, method="edge_insensitive"), abs=1e-6)
    assert math.isnan(ours.adjusted) or ours.adjusted <= 1 + 1e-9
    assert math.isnan(ours.label_informativeness) or -1e-9 <= ours.label_informativeness <= 1 + 1e-9


@pytest.mark.dataset
@pytest.mark.parametrize(("name", "edge"), [("cora", 0.810), ("chameleon", 0.235), ("texas", 0.108)])
def test_edge_homophily_of_real_graphs_is_the_published_one(data_dir, name, edge):
    if not (data_dir / f"{name}.npz").is_file():
        pytest.skip(f"{name}.npz is not in {data_dir}")
    assert homophily(Graph.load(data_dir / f"{name}.npz")).edge == pytest.approx(edge, abs=5e-4)
