import numpy as np
import scipy.sparse as sp

from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.zoo.column_filter import coefficients, filtered_rows, gram_matrices
from tests.zoo.reading import GRAPH

S = normalized_adjacency(adjacency(GRAPH, "undirected"), "plain")
X = np.asarray(GRAPH.x, dtype=np.float64)
EVERYONE = np.arange(len(X))


def filtered(S: sp.csr_array, x: np.ndarray | sp.csr_array, K: int, ridge: float) -> np.ndarray:
    c = coefficients(gram_matrices(S, x, K), x.shape[0], ridge)
    return filtered_rows(S, x, c, np.arange(x.shape[0]))


def by_least_squares(x: np.ndarray, K: int, ridge: float) -> np.ndarray:
    """One column, by scipy's dense solver on the stacked problem."""
    T = np.stack([np.linalg.matrix_power(S.toarray().astype(np.float64), k) @ x for k in range(K + 1)], axis=1)
    penalty = np.zeros((1, K + 1))
    penalty[0, 0] = np.sqrt(len(x) * ridge)
    c, *_ = np.linalg.lstsq(np.vstack([T, penalty]), np.append(x, 0.0), rcond=None)
    return T @ c


def test_every_column_is_its_own_least_squares_fit() -> None:
    for ridge in (0.1, 1e6):
        expected = np.stack([by_least_squares(X[:, j], 3, ridge) for j in range(X.shape[1])], axis=1)
        np.testing.assert_allclose(filtered(S, X, K=3, ridge=ridge), expected, atol=1e-6)


def test_fewer_hops_need_only_a_corner_of_the_products_of_more() -> None:
    np.testing.assert_allclose(gram_matrices(S, X, 8)[:, :3, :3], gram_matrices(S, X, 2), rtol=1e-10)


def test_some_nodes_are_filtered_as_they_are_among_all() -> None:
    c = coefficients(gram_matrices(S, X, 2), len(X), 0.01)
    np.testing.assert_array_equal(filtered_rows(S, X, c, EVERYONE[3:7]), filtered_rows(S, X, c, EVERYONE)[3:7])


def test_without_a_penalty_a_column_copies_itself() -> None:
    np.testing.assert_allclose(filtered(S, X, K=2, ridge=0.0), X, atol=1e-5)


def test_a_column_that_flips_along_every_edge_is_kept_as_it_is() -> None:
    path = sp.csr_array(np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]], dtype=np.float32))
    flip = np.sqrt(np.array([1, 2, 2, 1.0]))[:, None] * np.array([[1], [-1], [1], [-1.0]])  # S flip = -flip
    np.testing.assert_allclose(filtered(normalized_adjacency(path, "plain"), flip, K=1, ridge=1e9), flip, atol=1e-5)


def test_zero_columns_and_sparse_features_are_welcome() -> None:
    x = X.copy()
    x[:, 2] = 0
    np.testing.assert_array_equal(filtered(S, x, 2, 1e6)[:, 2], 0)
    np.testing.assert_allclose(filtered(S, sp.csr_array(x), 2, 1e6), filtered(S, x, 2, 1e6), atol=1e-7)
