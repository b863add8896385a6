"""Rows that grow at the end."""

import numpy as np
import scipy.sparse as sp

from lsgnn.serving.growing import GrowingArray, GrowingSparse, growing


def test_rows_are_added_behind_a_base_that_is_not_copied() -> None:
    base = np.arange(6.0).reshape(3, 2)
    rows = GrowingArray(base)
    for i in range(200):
        rows.append(np.full((1, 2), 100.0 + i))
    assert rows.base is base
    assert len(rows) == 203
    assert rows.take(np.array([0, 2, 3, 202])).tolist() == [[0, 1], [4, 5], [100, 100], [299, 299]]


def test_sparse_rows_grow_alike() -> None:
    base = np.array([[0.0, 1, 2], [0, 0, 0]], np.float32)
    added = np.array([[3, 0, 0], [0, 0, 0], [0, 4, 5]], np.float32)
    rows = growing(sp.csr_array(base))
    assert isinstance(rows, GrowingSparse)
    rows.append(sp.csr_array(added[:2]))
    rows.append(sp.csr_array(added[2:]))
    whole = np.concatenate([base, added])
    for numbers in ([0, 1], [0, 2, 4], [3], [2, 3, 4]):
        np.testing.assert_array_equal(rows.take(np.array(numbers)).toarray(), whole[numbers])
