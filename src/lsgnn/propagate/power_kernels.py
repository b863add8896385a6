"""The inner loops of propagation, compiled: Â times a block of columns, alone or with the dot products of the same
edges, and the sum of powers into the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.compiled import entry_point, inlined
from lsgnn.propagate.aligned import LINE
from lsgnn.propagate.prefetch import prefetch

Floats = NDArray[np.float32]
Whole = NDArray[np.integer]
AHEAD = 8  # edges by which rows are fetched before they are read
IN_LINE = LINE // 4  # numbers


@inlined
def fetch_row(power: Floats, row: int) -> None:
    for c in range(0, power.shape[1], IN_LINE):
        prefetch(power, row, c)


@inlined
def _add_neighbours(
    i: int, last: int, indptr: Whole, indices: Whole, values: Floats, power: Floats, row: Floats
) -> None:
    """row += row i of Â power; four neighbours at a time, because to fetch their rows takes longest. `last` is the
    edge before which all are in `indices`."""
    e, end, last_fetched = indptr[i], indptr[i + 1], last - AHEAD
    while e + 4 <= end:
        if e + 4 <= last_fetched:
            for ahead in range(e + AHEAD, e + AHEAD + 4):
                fetch_row(power, indices[ahead])
        v0, v1, v2, v3 = values[e], values[e + 1], values[e + 2], values[e + 3]
        x0, x1, x2, x3 = power[indices[e]], power[indices[e + 1]], power[indices[e + 2]], power[indices[e + 3]]
        for c in range(row.shape[0]):
            row[c] = row[c] + v0 * x0[c] + v1 * x1[c] + v2 * x2[c] + v3 * x3[c]
        e += 4
    while e < end:
        if e < last_fetched:
            fetch_row(power, indices[e + AHEAD])
        value, other = values[e], power[indices[e]]
        for c in range(row.shape[0]):
            row[c] += value * other[c]
        e += 1


@entry_point("propagation, 2 s")
def next_power(indptr: Whole, indices: Whole, values: Floats, power: Floats, out: Floats) -> None:
    """out = Â power, both [n, c]."""
    for i in range(out.shape[0]):
        out[i, :] = 0
        _add_neighbours(i, indptr[out.shape[0]], indptr, indices, values, power, out[i])


@entry_point("propagation, 2 s")
def next_sum(
    indptr: Whole,
    indices: Whole,
    values: Floats,
    power: Floats,
    coefficients: Floats,
    x: Floats,
    start: int,
    out: Floats,
) -> None:
    """out = Â power + coefficients · x[:, start : start+c]: a step of Horner's rule.

    `indptr`, `x` and `out` may be those of some rows. All columns of x are passed, not a view of some: of a view, LLVM
    would not know that columns lie side by side.
    """
    for i in range(out.shape[0]):
        row, own = out[i], x[i]
        for c in range(row.shape[0]):
            row[c] = coefficients[c] * own[start + c]
        _add_neighbours(i, indptr[out.shape[0]], indptr, indices, values, power, row)


@entry_point("propagation, 2 s")
def first_power_and_sums(
    indptr: Whole, indices: Whole, values: Floats, egos: Floats, x: Floats, differences: Any, out: Floats, sums: Floats
) -> None:
    """out = Â x, and sums[e] = Σ_c x_ic x_jc for edge e = (i, j), or, with `differences`, Σ_c (x_ic − x_jc)².

    Every row of x is fetched once for both. `indptr`, `egos` and `out` may be those of some rows i; `indices`, `values`
    and `sums` are of all edges, and sums [0] are not wanted.
    """
    last_fetched = indptr[out.shape[0]] - AHEAD
    for i in range(out.shape[0]):
        row, ego = out[i], egos[i]
        row[:] = 0
        for e in range(indptr[i], indptr[i + 1]):
            if e < last_fetched:
                fetch_row(x, indices[e + AHEAD])
            value, other, total = values[e], x[indices[e]], np.float32(0)
            if differences:
                for c in range(row.shape[0]):
                    total += (ego[c] - other[c]) * (ego[c] - other[c])
                    row[c] += value * other[c]
            else:
                for c in range(row.shape[0]):
                    total += ego[c] * other[c]
                    row[c] += value * other[c]
            if sums.shape[0]:
                sums[e] = total


@entry_point("propagation, 2 s")
def mix_powers(
    basis: Floats, rows: NDArray[np.int64], coefficients: Floats, places: NDArray[np.int64], out: Floats, start: int
) -> None:
    """out[places[m], :, start : start+c] = Σ_s coefficients[m, s] · basis[s, rows], for basis [K+1, n, c].

    All powers at once, because `out` is larger than any cache: each of its numbers is written there once.
    """
    for r in range(rows.shape[0]):
        for m in range(places.shape[0]):
            target, first = out[places[m], r], basis[0, rows[r]]
            a = coefficients[m, 0]
            for c in range(first.shape[0]):
                target[start + c] = a * first[c]
            for s in range(1, basis.shape[0]):
                a = coefficients[m, s]
                if a != 0:
                    power = basis[s, rows[r]]
                    for c in range(power.shape[0]):
                        target[start + c] += a * power[c]


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
