import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lsgnn.config import Similarity
from lsgnn.propagate.similarity import NeighbourSimilarity, edge_similarity, mean_and_std

X = np.array([[1, 0], [3, 4], [0, 0], [1, 0]], dtype=np.float32)
PAIRS = np.array([[0, 0, 0, 0], [1, 2, 3, 0]])


@pytest.mark.parametrize("sparse", [False, True])
def test_similarities_by_hand(sparse: bool) -> None:
    x = sp.csr_array(X) if sparse else X
    assert np.allclose(edge_similarity(x, PAIRS, "cosine"), [0.6, 0, 1, 1])
    assert np.allclose(edge_similarity(x, PAIRS, "euclidean"), [-np.sqrt(20), -1, 0, 0])
    assert np.allclose(edge_similarity(x, PAIRS, "euclidean", euclid_sign=1), [np.sqrt(20), 1, 0, 0])
    assert np.allclose(edge_similarity(x, PAIRS, "squared"), [-20, -1, 0, 0])


@given(arrays(np.float32, (6, 4), elements=st.floats(-1, 1, width=32)))
def test_for_unit_rows_the_squared_distance_is_two_minus_twice_the_cosine(x: np.ndarray) -> None:
    x = x[np.linalg.norm(x, axis=1) > 1e-3]
    x = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)
    pairs = np.array([(i, j) for i in range(len(x)) for j in range(len(x))], dtype=int).reshape(-1, 2).T
    cosine, distance = edge_similarity(x, pairs, "cosine"), edge_similarity(x, pairs, "euclidean")
    assert np.allclose(distance**2, 2 - 2 * cosine, atol=1e-5)


def test_near_equal_rows_keep_their_small_distance() -> None:
    x = np.array([[1, 0], [1, 1e-4]], dtype=np.float32)
    assert edge_similarity(x, np.array([[0], [1]]), "euclidean", euclid_sign=1) == pytest.approx(1e-4, rel=1e-4)


def test_almost_equal_rows_do_not_lose_their_distance_to_rounding() -> None:
    x = np.array([[1, 0], [1, 1e-9], [4, 4]], dtype=np.float32)  # its square is beyond what 1 + 1e-18 can hold
    pairs = np.array([[0, 0], [1, 2]])  # the second are far apart
    assert edge_similarity(x, pairs, "euclidean", euclid_sign=1).tolist() == pytest.approx([1e-9, 5], rel=1e-5)
    assert edge_similarity(sp.csr_array(x), pairs, "squared").tolist() == pytest.approx([-1e-18, -25], rel=1e-5)


@pytest.mark.parametrize("size", [1e-30, 1e-6, 1.0, 1e30])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_cosines_do_not_depend_on_the_length_of_rows(kind, size: float) -> None:  # type: ignore[no-untyped-def]
    x = kind(np.float32(size) * np.array([[1, 0], [1, 1], [-1, 0]], dtype=np.float32))
    assert np.allclose(
        edge_similarity(x, np.array([[0, 0, 1, 1], [1, 2, 1, 2]]), "cosine"), [0.5**0.5, -1, 1, -(0.5**0.5)]
    )


def test_more_edges_than_are_compared_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsgnn.propagate.similarity.BLOCK", 3)
    assert np.allclose(edge_similarity(X, PAIRS, "cosine"), [0.6, 0, 1, 1])
    assert np.allclose(edge_similarity(X, PAIRS, "squared"), [-20, -1, 0, 0])


def test_shares_are_of_the_nodes_own_total_weight_however_small() -> None:
    neighbours = sp.csr_array(np.array([[0, 0.2, 0.1], [0.25, 0, 0], [2, 6, 0]], dtype=np.float32))
    grouped = NeighbourSimilarity.of(neighbours, np.array([0.0, 0.9, 0.9, 0.0, 0.9], dtype=np.float32))
    assert np.allclose(grouped.share.toarray(), [[2 / 3, 1 / 3], [0, 1], [1 / 4, 3 / 4]])
    assert np.allclose(grouped.naive_localsim(), [0.3, 0.9, 0.675])


def test_some_nodes_may_read_many_others_and_many_nodes_a_few() -> None:
    few = sp.csr_array(np.array([[1, 1, 0, 2], [0, 0, 0, 0]], dtype=np.float32))
    grouped = NeighbourSimilarity.of(few, np.array([0.5, 0.25, 0.5], dtype=np.float32))
    assert grouped.share.toarray().tolist() == [[0.25, 0.75], [0, 0]]
    many = sp.csr_array(few.T)
    grouped = NeighbourSimilarity.of(many, np.array([0.5, 0.25, 0.5], dtype=np.float32))
    assert grouped.share.toarray().tolist() == [[0, 1], [1, 0], [0, 0], [0, 1]]


def test_the_papers_example_has_equal_means_but_other_shares() -> None:
    """Node 0 has neighbours at similarity 0 and 1, node 1 two at 0.5, node 2 none (section 3.4)."""
    neighbours = sp.csr_array(np.array([[0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=np.float32))
    grouped = NeighbourSimilarity.of(neighbours, np.array([0.0, 1.0, 0.5, 0.5], dtype=np.float32))
    assert grouped.naive_localsim().tolist() == [0.5, 0.5, 0, 0]
    assert grouped.values.tolist() == [0, 0.5, 1]
    assert grouped.share.toarray()[:2].tolist() == [[0.5, 0, 0.5], [0, 1, 0]]


@pytest.mark.parametrize("similarity", ["cosine", "euclidean"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_kernels_for_large_graphs_agree_with_numpy(
    similarity: Similarity, sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(0)
    dense = (random.normal(size=(30, 9)) * (random.random((30, 9)) < 0.4)).astype(np.float32)
    x, edges = sp.csr_array(dense) if sparse else dense, random.integers(0, 30, (2, 100))
    by_numpy = edge_similarity(x, edges, similarity)

    monkeypatch.setattr("lsgnn.propagate.similarity.WORTH_COMPILING", 0)

    np.testing.assert_allclose(edge_similarity(x, edges, similarity), by_numpy, rtol=1e-6)


def test_mean_and_deviation_by_hand_and_of_numbers_that_do_not_differ() -> None:
    assert mean_and_std(np.array([1.0, 3.0, 5.0, 7.0])) == (4.0, pytest.approx(5**0.5))
    assert mean_and_std(np.full(3, 0.1, dtype=np.float32)) == (pytest.approx(0.1), 1.0)
    assert mean_and_std(np.array([])) == (0.0, 1.0)


def test_the_kernels_read_columns_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = sp.csr_array((np.array([2.0, 1.0, 1.0, 3.0]), [2, 0, 0, 2], [0, 2, 4]), shape=(2, 9))  # row 0: 2 before 0
    monkeypatch.setattr("lsgnn.propagate.similarity.WORTH_COMPILING", 0)
    found = edge_similarity(mixed, np.array([[0], [1]]), "cosine")
    np.testing.assert_allclose(found, 7 / np.sqrt(5 * 10), rtol=1e-6)


@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "squared"])
@pytest.mark.parametrize("sparse", [False, True])
def test_pairs_that_are_compared_once_have_the_same_bits(
    similarity: Similarity, sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(1)
    dense = (random.normal(size=(20, 50)) * (random.random((20, 50)) < 0.4)).astype(np.float32)
    x, edges = sp.csr_array(dense) if sparse else dense, random.integers(0, 20, (2, 300))  # both ways, twice, loops
    edges[:, :20] = edges[::-1, 20:40]
    found = []
    for worth in (0, 1e9):
        monkeypatch.setattr("lsgnn.propagate.similarity.WORTH_SORTING", worth)
        found.append(edge_similarity(x, edges, similarity))
    np.testing.assert_array_equal(*found)
    assert len(edge_similarity(x, edges[:, :0], similarity)) == 0


def test_a_sparse_table_that_is_mostly_full_is_compared_as_a_dense_one(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    x = (random.normal(size=(20, 30)) * (random.random((20, 30)) < 0.9)).astype(np.float32)
    edges = random.integers(0, 20, (2, 100))
    monkeypatch.setattr("lsgnn.propagate.similarity.WORTH_COMPILING", 0)
    monkeypatch.setattr("lsgnn.propagate.similarity_kernels.sparse_dots", None)
    np.testing.assert_array_equal(
        edge_similarity(sp.csr_array(x), edges, "cosine"), edge_similarity(x, edges, "cosine")
    )


def test_a_column_that_is_there_twice_counts_with_its_sum() -> None:
    twice = sp.csr_array((np.array([2.0, 1.0, 4.0]), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    assert np.allclose(edge_similarity(twice, np.array([[0, 0], [0, 1]]), "squared"), [0, -25])
