"""Degrees and spectral coordinates for graphs without features."""

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.graph import structural_features as module
from lsgnn.graph.degree_features import degree_features
from lsgnn.graph.structural_features import structural_features
from tests.graphs import random_graph


def two_cliques(size: int = 6) -> np.ndarray:
    pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
    edges = pairs + [(i + size, j + size) for i, j in pairs] + [(0, size)]
    return np.array(edges).T


def test_the_first_two_columns_are_degrees_and_the_rest_is_spectral():
    edges = two_cliques()
    x = structural_features(edges, 12, dim=6)
    assert (x.shape, x.dtype) == ((12, 6), np.float32)
    np.testing.assert_array_equal(x[:, :2], degree_features(edges, 12))


def test_the_second_coordinate_tells_two_communities_apart():
    second = structural_features(two_cliques(), 12, dim=4)[:, 3]
    assert len(set(np.sign(second[:6]))) == len(set(np.sign(second[6:]))) == 1
    assert np.sign(second[0]) != np.sign(second[6])


def test_the_iterative_and_the_full_decomposition_agree(monkeypatch):
    graph = random_graph(n=400)
    iterative = structural_features(graph.edge_index, 400, dim=8)
    monkeypatch.setattr(module, "MAX_DENSE", 1000)
    np.testing.assert_allclose(structural_features(graph.edge_index, 400, dim=8), iterative, atol=1e-3)


def test_the_same_graph_gives_the_same_features_whatever_the_direction_of_its_edges():
    edges = random_graph(n=350).edge_index
    x = structural_features(edges, 350)
    np.testing.assert_array_equal(x, structural_features(edges.copy(), 350))
    np.testing.assert_allclose(x[:, 2:], structural_features(edges[::-1], 350)[:, 2:], atol=1e-6)
    assert (x[:, 2:].max(axis=0) >= -x[:, 2:].min(axis=0) - 1e-4).all()  # the largest entry is positive


def test_columns_that_a_tiny_graph_cannot_fill_are_zero():
    assert not structural_features(np.zeros((2, 0), int), 3).any()
    x = structural_features(np.array([[0], [1]]), 2)
    assert x.shape == (2, 16)
    assert np.count_nonzero(x.any(axis=0)) == 3  # two degrees and one coordinate with a positive eigenvalue


def test_too_few_columns_are_refused():
    with pytest.raises(InputError, match="dim=1 has no room"):
        structural_features(two_cliques(), 12, dim=1)


def test_two_columns_are_the_degrees_alone():
    edges = random_graph().edge_index
    np.testing.assert_array_equal(structural_features(edges, 40, dim=2), degree_features(edges, 40).astype(np.float32))
