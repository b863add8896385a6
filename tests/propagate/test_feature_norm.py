"""Features on one scale: by rows, by columns, and when columns ask for it."""

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn.propagate.feature_norm import Moments, column_sizes, normalize_features


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("norm", "expected"), [("l2", [[0.6, -0.8], [0, 0]]), ("l1", [[3 / 7, -4 / 7], [0, 0]])])
def test_rows_are_scaled_to_one_and_zero_rows_stay_zero(sparse: bool, norm: str, expected: list[list[float]]) -> None:
    x = np.array([[3.0, -4.0], [0.0, 0.0]], dtype=np.float32)
    scaled = normalize_features(sp.csr_array(x) if sparse else x, norm)
    assert np.allclose(scaled.toarray() if sparse else scaled, expected)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_columns_are_standardised_and_constant_ones_vanish(kind) -> None:  # type: ignore[no-untyped-def]
    x = kind(np.array([[1.0, 0.1, 2000.0], [3.0, 0.1, 4000.0]], dtype=np.float32))
    np.testing.assert_allclose(normalize_features(x, "standard"), [[-1, 0, -1], [1, 0, 1]])


def test_new_rows_are_standardised_by_the_columns_of_the_known_ones() -> None:
    known, new = np.array([[0.0], [4.0]]), np.array([[4.0], [6.0]])
    np.testing.assert_allclose(normalize_features(new, "standard", like=known), [[1], [2]])
    np.testing.assert_allclose(normalize_features(new, "l2", like=known), [[1], [1]])


def test_moments_of_parts_are_those_of_the_whole() -> None:
    x = np.random.default_rng(0).normal(5, [1, 2, 0], (20, 3))
    joined = Moments.of(x[:3]).joined(Moments.of(x[3:15])).joined(Moments.of(x[15:]))
    assert joined.rows == 20
    np.testing.assert_allclose(joined.mean, x.mean(axis=0))
    np.testing.assert_allclose(joined.variance, x.var(axis=0), atol=1e-12)


def test_columns_of_very_different_sizes_are_noticed() -> None:
    ages_and_incomes = np.array([[30.0, 20_000.0], [50.0, 80_000.0]])
    small, largest = column_sizes(ages_and_incomes)
    assert small == pytest.approx(np.sqrt(1700))
    assert largest == pytest.approx(np.sqrt(34e8))
    assert column_sizes(ages_and_incomes / [1, 1000]) is None
    assert column_sizes(np.zeros((3, 2))) is None


def test_words_count_as_of_one_scale_however_rare() -> None:
    words = np.zeros((1000, 200), dtype=np.float32)
    words[0], words[:, 0] = 1, 100
    assert column_sizes(words) is None
    assert column_sizes(sp.csr_array(words[:, :50])) is None
