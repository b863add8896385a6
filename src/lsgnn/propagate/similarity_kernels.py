"""Dot products of the two ends of each edge, compiled: no copy of the rows is made, and sums are float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.compiled import entry_point
from lsgnn.propagate.power_kernels import AHEAD, fetch_row

Indices = NDArray[np.int64]


@entry_point("similarities, 1 s")
def dense_dots(x: NDArray[np.float32], i: Indices, j: Indices, out: NDArray[np.float64]) -> None:
    """out[e] = x[i[e]] · x[j[e]]"""
    for e in range(out.shape[0]):
        if e + AHEAD < out.shape[0]:  # i stays the same for a while, j is anywhere
            fetch_row(x, j[e + AHEAD])
        left, right, total = x[i[e]], x[j[e]], 0.0
        for c in range(left.shape[0]):
            total += np.float64(left[c]) * np.float64(right[c])
        out[e] = total


@entry_point("similarities, 1 s")
def sparse_dots(
    indptr: Indices, indices: Indices, data: NDArray[np.float32], i: Indices, j: Indices, out: NDArray[np.float64]
) -> None:
    """The same for sparse rows, whose column numbers ascend."""
    for e in range(out.shape[0]):
        a, b, total = indptr[i[e]], indptr[j[e]], 0.0
        end_a, end_b = indptr[i[e] + 1], indptr[j[e] + 1]
        while a < end_a and b < end_b:
            if indices[a] == indices[b]:
                total += np.float64(data[a]) * np.float64(data[b])
                a += 1
                b += 1
            elif indices[a] < indices[b]:
                a += 1
            else:
                b += 1
        out[e] = total
