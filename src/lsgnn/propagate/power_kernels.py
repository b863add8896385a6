"""The two inner loops of `precompute.channels`, compiled: Â times a block of columns, and its sum into the result."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.compiled import entry_point

Floats = NDArray[np.float32]


@entry_point("propagation, 2 s")
def next_power(
    indptr: NDArray[np.integer], indices: NDArray[np.integer], values: Floats, power: Floats, out: Floats
) -> None:
    """out = Â power, both [n, c]; four neighbours at a time, because to fetch their rows takes longest."""
    for i in range(out.shape[0]):
        row = out[i]
        row[:] = 0
        e, last = indptr[i], indptr[i + 1]
        while e + 4 <= last:
            v0, v1, v2, v3 = values[e], values[e + 1], values[e + 2], values[e + 3]
            x0, x1, x2, x3 = power[indices[e]], power[indices[e + 1]], power[indices[e + 2]], power[indices[e + 3]]
            for c in range(row.shape[0]):
                row[c] = row[c] + v0 * x0[c] + v1 * x1[c] + v2 * x2[c] + v3 * x3[c]
            e += 4
        while e < last:
            value, other = values[e], power[indices[e]]
            for c in range(row.shape[0]):
                row[c] += value * other[c]
            e += 1


@entry_point("propagation, 2 s")
def add_multiples(power: Floats, rows: NDArray[np.int64], coefficients: Floats, out: Floats, start: int) -> None:
    """out[channel, :, start : start+c] += coefficients[channel] · power[rows], for out [channels, b, d], power [n, c].

    All of `out` is passed, not a view of some columns: of a view, LLVM would not know that columns lie side by side.
    """
    for r in range(rows.shape[0]):
        row = power[rows[r]]
        for channel in range(coefficients.shape[0]):
            a = coefficients[channel]
            if a != 0:
                target = out[channel, r]
                for c in range(row.shape[0]):
                    target[start + c] += a * row[c]
