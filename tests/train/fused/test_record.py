"""Named tuples reach kernels whole, by one address."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from lsgnn.compiled import OPTIONS
from lsgnn.train.fused.record import record
from lsgnn.train.fused.vector import Width


class Inner(NamedTuple):
    values: NDArray[np.float32]


class Outer(NamedTuple):
    count: int
    rows: Width
    inner: Inner
    scale: float
    bias: np.float32
    negative: bool
    out: NDArray[np.int64]


@njit(**OPTIONS)
def read(r: Outer, empty: Outer | None) -> float:
    total = 0.0
    for i in range(r.inner.values.shape[0]):
        total += r.inner.values[i]
    total = r.scale * total + r.bias
    for i in range(r.count):
        r.out[i] += len(r.rows) + i
    return -total if r.negative and empty is None else total


def test_a_kernel_reads_every_kind_of_field_and_writes_into_arrays() -> None:
    out = np.array([10, 20, 30])
    values = Outer(2, Width(6), Inner(np.array([1, 2], np.float32)), 2.0, np.float32(0.5), True, out)
    assert read(record(values), record(None)) == -6.5
    assert read(record(values._replace(negative=False)), record(None)) == 6.5
    assert out.tolist() == [10 + 2 * 6, 20 + 2 * 7, 30]


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 2), np.float32), np.zeros(6, np.float32)[::2]])
def test_an_array_of_another_type_or_form_is_refused(wrong: NDArray[np.float32]) -> None:
    with pytest.raises(TypeError, match="Inner has"):
        record(Inner(wrong))
