import numpy as np
import pytest

from lsgnn.propagate.aligned import aligned
from lsgnn.propagate.power_kernels import first_power_and_sums, mix_powers, next_power, next_sum

# node 0 reads 1 and 2, node 1 reads nobody, node 2 reads 0 twelve times over (more than are fetched ahead)
INDPTR = np.array([0, 2, 2, 14])
INDICES = np.array([1, 2] + [0] * 12, np.int32)
VALUES = np.array([0.5, 2.0] + [0.25] * 12, np.float32)
X = np.array([[1, 0], [2, 4], [0, 3]], np.float32)
POWER = [[1, 8], [0, 0], [3, 0]]


def test_a_power_is_the_weighted_sum_of_the_neighbours_rows() -> None:
    out = np.full_like(X, np.nan)
    next_power(INDPTR, INDICES, VALUES, X, out)
    assert out.tolist() == POWER


def test_a_step_of_horners_rule_adds_multiples_of_some_columns() -> None:
    beside = np.array([[9, 1, 2], [9, 3, 4], [9, 5, 6]], np.float32)
    factors, out = np.array([10, 100], np.float32), np.full((2, 2), np.nan, np.float32)
    next_sum(INDPTR[1:], INDICES, VALUES, X, factors, beside[1:], 1, out)  # of the last two rows
    assert out.tolist() == [[30, 400], [53, 600]]


@pytest.mark.parametrize(("differences", "sums"), [(False, [2, 0] + [0] * 12), (True, [17, 10] + [10] * 12)])
def test_the_first_power_and_the_sums_of_edges_come_from_one_pass(differences: bool, sums: list[float]) -> None:
    out, found = np.full_like(X, np.nan), np.full(14, np.nan, np.float32)
    first_power_and_sums(INDPTR, INDICES, VALUES, X, X, differences, out, found)
    assert out.tolist() == POWER
    assert found.tolist() == sums


def test_sums_that_are_not_wanted_do_not_change_the_power() -> None:
    out = np.full_like(X, np.nan)
    first_power_and_sums(INDPTR, INDICES, VALUES, X, X, False, out, np.empty(0, np.float32))
    assert out.tolist() == POWER


def test_some_rows_of_a_pass_are_those_rows_of_the_whole() -> None:
    out, found = np.full((1, 2), np.nan, np.float32), np.full(14, np.nan, np.float32)
    first_power_and_sums(INDPTR[2:], INDICES, VALUES, X[2:], X, True, out, found)
    assert out.tolist() == POWER[2:]
    assert np.isnan(found[:2]).all()
    assert found[2:].tolist() == [10] * 12


def test_channels_are_mixed_from_powers_at_their_places_only() -> None:
    basis = np.array([[[1, 2], [3, 4]], [[10, 20], [30, 40]]], np.float32)
    out = np.full((3, 1, 3), -1, np.float32)
    coefficients = np.array([[1, 0], [2, 0.5]], np.float32)
    mix_powers(basis, np.array([1]), coefficients, np.array([2, 0]), out, 1)
    assert out.tolist() == [[[-1, 21, 28]], [[-1, -1, -1]], [[-1, 3, 4]]]


@pytest.mark.parametrize("width", [1, 16, 33])
def test_rows_begin_with_a_line_of_the_cache(width: int) -> None:
    rows = aligned(5, width)
    assert (rows.shape, rows.dtype, rows.flags.c_contiguous) == ((5, width), np.float32, True)
    assert rows.ctypes.data % 64 == 0
