"""Sums and greatest elements of vectors, in kernels of their own."""

from typing import Any

import numpy as np
import pytest
from numba import njit

from lsgnn.compiled import OPTIONS
from lsgnn.train.fused.vector import W8, W16, Width, vgreatest, vload, vstore, vsums


@njit(**OPTIONS)
def sums(x: Any, out: Any, w: Any) -> None:
    vstore(out, 0, vsums(x, 0, w))


@njit(**OPTIONS)
def greatest(x: Any, w: Any) -> float:
    return vgreatest(vload(x, 0, w))  # type: ignore[no-any-return]


@pytest.mark.parametrize("width", [W8, W16])
def test_number_k_is_the_sum_of_vector_k(width: Width) -> None:
    x = np.arange(len(width) ** 2, dtype=np.float32)
    out = np.zeros(len(width), np.float32)

    sums(x, out, width)

    assert out.tolist() == x.reshape(len(width), len(width)).sum(axis=1).tolist()


def test_a_sum_depends_on_its_own_vector_alone() -> None:
    x = np.random.default_rng(0).normal(size=(16, 16)).astype(np.float32)
    first, second = np.zeros(16, np.float32), np.zeros(16, np.float32)

    sums(x.ravel(), first, W16)
    sums(x[::-1].ravel(), second, W16)

    assert first.tobytes() == second[::-1].tobytes()  # the same bits, wherever it lies


def test_the_greatest_may_be_negative() -> None:
    assert greatest(np.array([-3, -1, -2, -9, -8, -7, -6, -5], np.float32), W8) == -1
