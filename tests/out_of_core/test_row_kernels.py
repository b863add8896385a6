import numpy as np
import pytest

from lsgnn.out_of_core.row_kernels import pack_rows, shares_on_grid, similarity_range, transposed


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_channels_of_chosen_rows_lie_side_by_side_in_panels(dtype: type) -> None:
    """Panels of P = 2 rows, blocks of 2 features; of 3 features and 3 rows, so that both are padded."""
    basis = np.arange(4 * 2 * 3, dtype=dtype).reshape(4, 2, 3)  # of node i, power s begins with 6 i + 3 s
    read = basis.view(np.uint16) if dtype is np.float16 else basis
    coefficients = np.array([[1, 0.5, -1], [0, 1, 1]], np.float32)  # X, X/2 + AX, AX - X
    out, tile = np.full((3, 2, 2, 4), np.nan, np.float32), np.full((2, 4), np.nan, np.float32)
    pack_rows(read, np.array([3, 0, 1]), coefficients, out, 2, 0, 2, tile)
    assert out[0].tolist() == [[[18, 0, 19, 1], [6, 0, 7, 0]], [[20, 2, 0, 0], [8, 0, 0, 0]]]
    assert out[1, 0, 0].tolist() == [18 / 2 + 21, 0 / 2 + 3, 19 / 2 + 22, 1 / 2 + 4]
    assert out[2, 0].tolist() == [[3, 3, 3, 3], [3, 0, 3, 0]]


def test_halves_keep_their_sign_and_their_smallest_numbers() -> None:
    values = np.array([-1.5, 65504, -65504, 2.0**-24, -(2.0**-14), 0.1], np.float16)
    out, tile = np.zeros((1, 1, 1, 6), np.float32), np.zeros((1, 6), np.float32)
    pack_rows(values.view(np.uint16).reshape(1, 1, 6), np.array([0]), np.ones((1, 1), np.float32), out, 1, 0, 1, tile)
    assert out.ravel().tolist() == values.astype(np.float32).tolist()


def test_a_similarity_is_shared_by_the_points_beside_it() -> None:
    similarity = np.array([0.0, 0.25, 9.0, 1.0, 0.5], np.float32)
    first, last = np.array([0, 3, 4]), np.array([2, 3, 5])  # edges 0 and 1, none, edge 4
    ends = np.zeros(2)
    similarity_range(first, last, similarity, ends)
    assert ends.tolist() == [0, 0.5]
    start, column, value = np.zeros(4, np.uint32), np.zeros(6, np.uint32), np.zeros(6, np.float32)
    weights = np.array([1, 3, 7, 7, 2], np.float32)
    shares_on_grid(first, last, similarity, weights, 0.0, 0.25, 3, start, column, value)
    assert start.tolist() == [0, 4, 4, 6]
    assert column.tolist() == [0, 1, 1, 2, 1, 2]
    assert value.tolist() == [0.25, 0, 0.75, 0, 0, 1]
    shares_on_grid(first, last, similarity, weights[:0], 0.0, 0.5, 2, start, column, value)
    assert value.tolist() == [0.5, 0, 0.25, 0.25, 0, 1]
    shares_on_grid(first, last, similarity, weights[:0], 0.0, 0.0, 2, start, column, value)  # all are the same
    assert value.tolist() == [0.5, 0, 0.5, 0, 1, 0]


def test_the_transpose_has_each_column_in_the_order_of_rows() -> None:
    start, column = np.array([0, 2, 2, 3], np.uint32), np.array([2, 0, 2], np.uint32)
    out = np.ones(5, np.uint32), np.zeros(3, np.uint32), np.zeros(3, np.float32)
    transposed(start, column, np.array([5, 6, 7], np.float32), *out)
    assert [part.tolist() for part in out] == [[0, 1, 1, 3, 3], [0, 0, 2], [6, 5, 7]]
