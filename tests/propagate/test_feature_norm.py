"""Features on one scale, by rows; by columns: see test_column_scale."""

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.feature_norm import normalize_features


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("norm", "expected"), [("l2", [[0.6, -0.8], [0, 0]]), ("l1", [[3 / 7, -4 / 7], [0, 0]])])
def test_rows_are_scaled_to_one_and_zero_rows_stay_zero(sparse: bool, norm: str, expected: list[list[float]]) -> None:
    x = np.array([[3.0, -4.0], [0.0, 0.0]], dtype=np.float32)
    scaled = normalize_features(sp.csr_array(x) if sparse else x, norm)
    assert np.allclose(scaled.toarray() if sparse else scaled, expected)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("size", [1e-20, 0.1, 1e15])
def test_rows_of_any_length_become_rows_of_length_one(sparse: bool, size: float) -> None:
    x = size * np.array([[3.0, -4.0]], dtype=np.float32)
    for norm, expected in (("l2", [0.6, -0.8]), ("l1", [3 / 7, -4 / 7])):
        scaled = normalize_features(sp.csr_array(x) if sparse else x, norm)
        assert np.allclose(scaled.toarray() if sparse else scaled, [expected])


def test_new_rows_are_standardised_by_the_columns_of_the_known_ones() -> None:
    known, new = np.array([[1.0], [5.0]]), np.array([[5.0], [7.0]])
    np.testing.assert_allclose(normalize_features(known, "standard"), [[-1], [1]])
    np.testing.assert_allclose(normalize_features(new, "standard", ColumnScale.of(known)), [[1], [2]])
    np.testing.assert_allclose(normalize_features(new, "l2", ColumnScale.of(known)), [[1], [1]])
