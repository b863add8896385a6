"""From the files of a store to what the fused engine reads of a batch: packed channels, and shares of similarities.

A row is read once, from front to back, and goes into its place in the panels of `lsgnn.train.fused.dense`, P rows side
by side; there a channel is a sum of whole panels of powers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from lsgnn.compiled import entry_point

Floats = NDArray[np.float32]
Whole = NDArray[np.int64]
Numbers = NDArray[np.uint32]
F32, I32 = ir.FloatType(), ir.IntType(32)


@intrinsic  # type: ignore[untyped-decorator]
def as_float(typing: Any, number: Any) -> Any:
    """A float32 as it is; the bits of a finite float16 as a float32, without an instruction that old machines lack."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        if number == types.float32:
            return arguments[0]
        bits = builder.zext(arguments[0], I32)
        sign = builder.shl(builder.and_(bits, ir.Constant(I32, 0x8000)), ir.Constant(I32, 16))
        rest = builder.shl(builder.and_(bits, ir.Constant(I32, 0x7FFF)), ir.Constant(I32, 13))
        # the exponent is now that of a float32, but counted from another zero
        size = builder.fmul(builder.bitcast(rest, F32), ir.Constant(F32, 2.0**112))
        return builder.bitcast(builder.or_(builder.bitcast(size, I32), sign), F32)

    return types.float32(number), codegen


@entry_point("the packing of stored rows, 2 s")
def pack_rows(
    basis: NDArray[Any], places: Whole, coefficients: Floats, out: Floats, P: int, first: int, end: int, tile: Floats
) -> None:
    """Panels first … end-1 of out [2K+1, blocks, panels, block · P], from the powers [m, K+1 or more, d] at `places`.

    Args:
        basis: float32, or the bits of float16.
        coefficients: of the powers in each channel [K+1, 2K+1].
        tile: room for a panel of all powers [K+1, block · P].
    """
    powers, size = tile.shape
    block, d, flat = size // P, basis.shape[2], basis.reshape(-1)
    apart, length = np.uint64(P), basis.shape[1] * d  # unsigned, so that no negative index is thought of
    for panel in range(first, end):
        rows = min(P, places.shape[0] - panel * P)
        for x in range(out.shape[1]):
            columns = min(block, d - x * block)
            for s in range(powers):
                power = tile[s]
                if rows < P or columns < block:
                    for t in range(size):
                        power[t] = 0
                for p in range(rows):
                    at, to = np.uint64(places[panel * P + p] * length + s * d + x * block), np.uint64(p)
                    for j in range(np.uint64(columns)):
                        power[to + j * apart] = as_float(flat[at + j])
            for c in range(out.shape[0]):
                channel, a, power = out[c, x, panel], coefficients[0, c], tile[0]
                for t in range(size):
                    channel[t] = a * power[t]
                for s in range(1, powers):
                    a, power = coefficients[s, c], tile[s]
                    if a != 0:
                        for t in range(size):
                            channel[t] += a * power[t]


@entry_point("the range of similarities, 1 s")
def similarity_range(first: Whole, last: Whole, similarity: Floats, out: NDArray[np.float64]) -> None:
    """The least and the greatest similarity of edges first[r] … last[r]-1 of all rows r, of which there is one."""
    low, high = np.inf, -np.inf
    for r in range(first.shape[0]):
        for e in range(first[r], last[r]):
            d = similarity[e]
            low = low if low <= d else d
            high = high if high >= d else d
    out[0], out[1] = low, high


@entry_point("the shares of similarities, 2 s")
def shares_on_grid(
    first: Whole,
    last: Whole,
    similarity: Floats,
    weights: Floats,
    low: float,
    step: float,
    points: int,
    start: Numbers,
    column: Numbers,
    value: Floats,
) -> None:
    """Each row's neighbours by their similarity, on `points` numbers from `low` on that lie a `step` apart, as
    `lsgnn.train.fused.similarity_table` has them: a sparse matrix with two entries for each edge.

    Args:
        weights: of all edges; empty if all weigh the same.
        step: 0 if there is one similarity only.
    """
    weighted, at = weights.shape[0] > 0, 0
    start[0] = 0
    for r in range(first.shape[0]):
        total = 0.0
        for e in range(first[r], last[r]):
            total += weights[e] if weighted else 1.0
        for e in range(first[r], last[r]):
            share = (weights[e] if weighted else 1.0) / total
            place = (similarity[e] - low) / step if step > 0 else 0.0
            left = min(int(place), points - 2)
            column[at], column[at + 1] = left, left + 1
            value[at], value[at + 1] = share * (left + 1 - place), share * (place - left)
            at += 2
        start[r + 1] = at


@entry_point("the shares of similarities, 2 s")
def transposed(
    start: Numbers, column: Numbers, value: Floats, out_start: Numbers, out_column: Numbers, out_value: Floats
) -> None:
    """A sparse matrix by its columns, each in the order of its rows; as many of them as out_start has room for."""
    columns = out_start.shape[0] - 1
    for c in range(columns + 1):
        out_start[c] = 0
    for e in range(start[start.shape[0] - 1]):
        out_start[column[e] + 1] += 1
    for c in range(columns):
        out_start[c + 1] += out_start[c]
    for r in range(start.shape[0] - 1):
        for e in range(start[r], start[r + 1]):
            c = column[e]
            at = out_start[c]
            out_column[at], out_value[at] = r, value[e]
            out_start[c] = at + 1
    for c in range(columns, 0, -1):
        out_start[c] = out_start[c - 1]
    out_start[0] = 0
