import numpy as np
import scipy.sparse as sp
import torch

from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.zoo.asgc import asgc_filter
from tests.graphs import random_graph
from tests.zoo.reading import GRAPH, built

S = normalized_adjacency(adjacency(GRAPH, "undirected"), "plain")
X = np.asarray(GRAPH.x, dtype=np.float64)


def by_least_squares(x: np.ndarray, K: int, ridge: float) -> np.ndarray:
    """One column, by scipy's dense solver on the stacked problem."""
    T = np.stack([np.linalg.matrix_power(S.toarray().astype(np.float64), k) @ x for k in range(K + 1)], axis=1)
    penalty = np.zeros((1, K + 1))
    penalty[0, 0] = np.sqrt(len(x) * ridge)
    c, *_ = np.linalg.lstsq(np.vstack([T, penalty]), np.append(x, 0.0), rcond=None)
    return T @ c


def test_every_column_is_its_own_least_squares_fit() -> None:
    for ridge in (0.1, 1e6):
        ours = asgc_filter(S, X, K=3, ridge=ridge)
        expected = np.stack([by_least_squares(X[:, j], 3, ridge) for j in range(X.shape[1])], axis=1)
        np.testing.assert_allclose(ours, expected, atol=1e-6)


def test_without_a_penalty_a_column_copies_itself() -> None:
    np.testing.assert_allclose(asgc_filter(S, X, K=2, ridge=0.0), X, atol=1e-5)


def test_a_column_that_flips_along_every_edge_is_kept_as_it_is() -> None:
    path = sp.csr_array(np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]], dtype=np.float32))
    flip = np.sqrt(np.array([1, 2, 2, 1.0]))[:, None] * np.array([[1], [-1], [1], [-1.0]])  # S flip = -flip
    filtered = asgc_filter(normalized_adjacency(path, "plain"), flip, K=1, ridge=1e9)
    np.testing.assert_allclose(filtered, flip, atol=1e-5)


def test_zero_columns_and_sparse_features_are_welcome() -> None:
    x = X.copy()
    x[:, 2] = 0
    np.testing.assert_array_equal(asgc_filter(S, x, 2, 1e6)[:, 2], 0)
    np.testing.assert_allclose(asgc_filter(S, sp.csr_array(x), 2, 1e6), asgc_filter(S, x, 2, 1e6), atol=1e-7)


def test_the_head_is_linear_in_the_filtered_features() -> None:
    module, inputs = built("asgc", random_graph(sparse=True))
    expected = inputs.x @ module.linear.weight + module.linear.bias
    torch.testing.assert_close(module(inputs), expected)
    assert sum(p.numel() for p in module.parameters()) == 12 * 3 + 3
