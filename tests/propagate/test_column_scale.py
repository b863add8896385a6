"""Columns on one scale: numbers, codes and mostly zero ones each in their way, dense or sparse alike."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lsgnn.propagate.column_scale import ColumnScale, mixed_sizes

X = np.zeros((8, 5), dtype=np.float32)
X[:, 0] = [1, 3, 1, 3, 1, 3, 1, 3]  # numbers: mean 2, deviation 1
X[:, 1] = [0, 1, 1, 1, 1, 1, 1, 1]  # a code
X[:, 2] = [40, 0, 0, 0, 0, 0, 0, 0]  # mostly zero
X[:, 3] = 7  # constant
EXPECTED = np.zeros((8, 5))
EXPECTED[:, 0], EXPECTED[:, 1], EXPECTED[0, 2] = X[:, 0] - 2, X[:, 1], 1


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_every_kind_of_column_is_scaled_in_its_way(kind) -> None:  # type: ignore[no-untyped-def]
    np.testing.assert_allclose(dense(ColumnScale.of(kind(X)).apply(kind(X))), EXPECTED, atol=1e-6)


def dense(x: Any) -> np.ndarray:
    return x.toarray() if sp.issparse(x) else x


def test_a_sparse_table_stays_sparse_though_some_columns_are_shifted() -> None:
    x = sp.random_array((400, 300), density=0.01, format="lil", random_state=np.random.default_rng(0), dtype=np.float32)
    x[:, 7] = np.random.default_rng(1).normal(5, 1, 400)
    csr = sp.csr_array(x)
    scaled = ColumnScale.of(csr).apply(csr)
    assert sp.issparse(scaled)
    assert scaled.has_sorted_indices  # torch takes no others
    assert scaled.nnz <= csr.nnz + 400
    np.testing.assert_allclose(scaled.toarray(), ColumnScale.of(csr).apply(csr.toarray()), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("numbers", [2, 8])
def test_few_or_most_columns_of_a_sparse_table_may_be_shifted(numbers: int) -> None:
    random = np.random.default_rng(0)
    x = random.normal(1, 1, (40, 10)) * (random.random((40, 10)) < np.where(np.arange(10) < numbers, 0.5, 0.05))
    scale = ColumnScale.of(sp.csr_array(x))
    assert (scale.shift != 0).sum() == numbers
    scaled = scale.apply(sp.csr_array(x))
    np.testing.assert_allclose(dense(scaled), ColumnScale.of(x).apply(x), rtol=1e-5, atol=1e-6)
    assert sp.issparse(scaled)
    assert scaled.dtype == np.float32
    assert scaled.has_sorted_indices


def test_words_stay_sparse() -> None:
    words = sp.random_array(
        (50, 30), density=0.05, format="csr", random_state=np.random.default_rng(0), dtype=np.float32
    )
    scale = ColumnScale.of(words)
    scaled = scale.apply(words)
    assert sp.issparse(scaled)
    np.testing.assert_allclose(scaled.toarray(), scale.apply(words.toarray()), rtol=1e-6)


tables = arrays(np.float32, st.tuples(st.integers(2, 9), st.just(3)), elements=st.sampled_from([0, 1, 2.5, -40]))


@given(tables, st.integers(1, 8))
def test_parts_know_together_what_the_whole_knows(x: np.ndarray, cut: int) -> None:
    whole = ColumnScale.of(x)
    cut = min(cut, len(x) - 1)
    joined = ColumnScale.of(x[:cut]).joined(ColumnScale.of(x[cut:]))
    for other in (joined, ColumnScale.of(sp.csr_array(x)), ColumnScale.from_dict(whole.to_dict())):
        assert whole.is_like(other)
        np.testing.assert_allclose(other.variance, whole.variance, atol=1e-9)
        assert other.nonzero.tolist() == whole.nonzero.tolist()


def test_a_large_table_is_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ColumnScale.of(X)
    monkeypatch.setattr("lsgnn.propagate.column_scale.VALUES_AT_ONCE", 12)
    assert whole.is_like(ColumnScale.of(X))
    np.testing.assert_allclose(whole.apply(X), EXPECTED, atol=1e-6)
    np.testing.assert_allclose(whole.apply(sp.csr_array(X)).toarray(), EXPECTED, atol=1e-6)


def test_only_a_few_values_are_held_in_double_precision_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsgnn.propagate.column_scale.VALUES_AT_ONCE", 12)
    held, measured = [], ColumnScale._of_dense
    monkeypatch.setattr(ColumnScale, "_of_dense", lambda x: (held.append(x.shape), measured(x))[1])
    ColumnScale.of(X)
    assert held == [(2, 5)] * 4


def test_a_quarter_of_values_that_are_not_zero_makes_a_column_of_numbers() -> None:
    quarter, fewer = (ColumnScale.of(np.array([[8.0]] + [[0.0]] * zeros)) for zeros in (3, 4))
    assert (quarter.shift.item(), quarter.factor.item()) == pytest.approx((2, 1 / np.sqrt(12)))
    assert (fewer.shift.item(), fewer.factor.item()) == pytest.approx((0, 1 / 8))


def test_a_constant_column_says_nothing_of_new_rows_either() -> None:
    scale = ColumnScale.of(np.full((3, 1), 0.1))
    assert scale.factor.tolist() == [0]
    assert scale.apply(np.array([[0.1], [70.0]])).tolist() == [[0], [0]]


def test_zeros_that_a_sparse_table_stores_are_zeros() -> None:
    stored = sp.csr_array((np.array([1.0, 0.0, 0.0, 5.0]), ([0, 1, 1, 2], [0, 0, 1, 1])), shape=(3, 2))
    assert stored.nnz == 4
    sparse, dense = ColumnScale.of(stored), ColumnScale.of(stored.toarray())
    assert sparse.to_dict() == dense.to_dict()
    assert (sparse.binary.tolist(), sparse.nonzero.tolist()) == ([1, 0], [1, 1])


def test_another_scale_is_noticed() -> None:
    wide, narrow = (ColumnScale.of(np.array([[2e6 - gap], [2e6 + gap]])) for gap in (1e6, 5e5))
    assert not wide.is_like(narrow)  # of the same mean, and both factors are small
    assert not ColumnScale.of(X).is_like(ColumnScale.of(10 * X))
    assert not ColumnScale.of(X).is_like(ColumnScale.of(X[:, :2]))


def test_columns_of_very_different_sizes_are_noticed() -> None:
    ages_and_incomes = np.array([[30.0, 20_000.0], [50.0, 80_000.0]])
    assert mixed_sizes(ages_and_incomes) == pytest.approx((np.sqrt(1700), np.sqrt(34e8)))
    assert mixed_sizes(sp.csr_array(ages_and_incomes)) == mixed_sizes(ages_and_incomes)
    assert mixed_sizes(ages_and_incomes / [1, 1000]) is None
    assert mixed_sizes(np.zeros((3, 2))) is None
    towns = np.eye(200)[np.arange(1000) % 200]
    assert mixed_sizes(towns) is None
    assert mixed_sizes(np.column_stack([towns, np.full(1000, 50.0)])) == pytest.approx((1.0, 50.0))
    assert mixed_sizes(sp.csr_array(np.diag(10.0 ** np.arange(6)))) is None  # words of any number
