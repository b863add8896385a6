"""The dense reduction: the channels at the scored rows are formed once, then it is plain matrix products.

Best where features are dense or few. The stack H [2K+1, b, d] holds X, low 1 … K, high 1 … K, as `channels` makes it.
The products are written here rather than left to a BLAS, because they run inside a kernel, on one thread, and add up in
the same order on every run: registers hold 6 rows × one vector of sums, as in a BLAS.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.adam import Step, adam
from lsgnn.train.fused.structs import Floats, Shape, State, Weights, Work
from lsgnn.train.fused.vector import Width, at, splat, vload, vstore

ZERO = np.float32(0)
BLOCK = 48  # rows whose features stay in the first-level cache while all their weights' gradients are summed


@inlined
def channel_of(block: int, K: int) -> int:
    """Where the channel of a block of weights (X, low 1, high 1, low 2 …) lies in the stack."""
    if block & 1:
        return (block + 1) // 2
    return K + block // 2 if block > 0 else 0


@inlined
def multiply_rows(H: Floats, h: int, W: Floats, column: int, out: Floats, o: int, shape: Shape, w: Width) -> None:
    """Six rows of a channel, the first at H[h], times a block of weights, into six rows of Z, the first at out[o]."""
    d, z, width = shape.d, shape.z, shape.width
    for t in range(0, z, len(w)):
        s0, s1, s2 = splat(ZERO, w), splat(ZERO, w), splat(ZERO, w)
        s3, s4, s5 = splat(ZERO, w), splat(ZERO, w), splat(ZERO, w)
        for j in range(d):
            x = vload(W, column * d + j * z + t, w)
            s0 = s0 + at(H, h + j) * x
            s1 = s1 + at(H, h + d + j) * x
            s2 = s2 + at(H, h + 2 * d + j) * x
            s3 = s3 + at(H, h + 3 * d + j) * x
            s4 = s4 + at(H, h + 4 * d + j) * x
            s5 = s5 + at(H, h + 5 * d + j) * x
        vstore(out, o + t, s0)
        vstore(out, o + width + t, s1)
        vstore(out, o + 2 * width + t, s2)
        vstore(out, o + 3 * width + t, s3)
        vstore(out, o + 4 * width + t, s4)
        vstore(out, o + 5 * width + t, s5)


@inlined
def multiply_row(H: Floats, h: int, W: Floats, column: int, out: Floats, o: int, shape: Shape, w: Width) -> None:
    for t in range(0, shape.z, len(w)):
        total = splat(ZERO, w)
        for j in range(shape.d):
            total = total + at(H, h + j) * vload(W, column * shape.d + j * shape.z + t, w)
        vstore(out, o + t, total)


@kernel
def reduce_dense(H: Floats, weights: Weights, work: Work, shape: Shape, w: Width) -> None:
    """Z [b, width] = every channel times its weights."""
    b, d, z, W, Z = shape.train_rows + shape.val_rows, shape.d, shape.z, weights.reduce, work.Z
    for c in range(2 * shape.K + 1):
        first, r = channel_of(c, shape.K) * b * d, 0
        while r + 6 <= b:
            multiply_rows(H, first + r * d, W, c * z, Z, r * shape.width + c * z, shape, w)
            r += 6
        while r < b:
            multiply_row(H, first + r * d, W, c * z, Z, r * shape.width + c * z, shape, w)
            r += 1


@inlined
def add_outer_products(
    H: Floats, h: int, rows: int, G: Floats, g: int, out: Floats, o: int, shape: Shape, w: Width
) -> None:
    """Six rows of a channel's weight gradient += Hᵀ G: features H[h + r·d … +6], gradients G[g + r·width], r < rows."""
    d, z, width = shape.d, shape.z, shape.width
    for t in range(0, z, len(w)):
        s0, s1, s2 = vload(out, o + t, w), vload(out, o + z + t, w), vload(out, o + 2 * z + t, w)
        s3, s4, s5 = vload(out, o + 3 * z + t, w), vload(out, o + 4 * z + t, w), vload(out, o + 5 * z + t, w)
        for r in range(rows):
            x, f = vload(G, g + r * width + t, w), h + r * d
            s0 = s0 + at(H, f) * x
            s1 = s1 + at(H, f + 1) * x
            s2 = s2 + at(H, f + 2) * x
            s3 = s3 + at(H, f + 3) * x
            s4 = s4 + at(H, f + 4) * x
            s5 = s5 + at(H, f + 5) * x
        vstore(out, o + t, s0)
        vstore(out, o + z + t, s1)
        vstore(out, o + 2 * z + t, s2)
        vstore(out, o + 3 * z + t, s3)
        vstore(out, o + 4 * z + t, s4)
        vstore(out, o + 5 * z + t, s5)


@inlined
def add_outer_product(
    H: Floats, h: int, rows: int, G: Floats, g: int, out: Floats, o: int, shape: Shape, w: Width
) -> None:
    for t in range(0, shape.z, len(w)):
        total = vload(out, o + t, w)
        for r in range(rows):
            total = total + at(H, h + r * shape.d) * vload(G, g + r * shape.width + t, w)
        vstore(out, o + t, total)


@kernel
def step_dense(H: Floats, p: Weights, state: State, work: Work, shape: Shape, step: Step, w: Width) -> None:
    """Adam on the reduction's weights, from the gradient at Z (training rows of work.Z)."""
    b, d, z, width, out = shape.train_rows + shape.val_rows, shape.d, shape.z, shape.width, work.grad_reduce
    for x in range(out.shape[0]):
        out[x] = ZERO
    for c in range(2 * shape.K + 1):
        for start in range(0, shape.train_rows, BLOCK):
            rows = min(BLOCK, shape.train_rows - start)
            h, g, j = (channel_of(c, shape.K) * b + start) * d, start * width + c * z, 0
            while j + 6 <= d:
                add_outer_products(H, h + j, rows, work.Z, g, out, (c * d + j) * z, shape, w)
                j += 6
            while j < d:
                add_outer_product(H, h + j, rows, work.Z, g, out, (c * d + j) * z, shape, w)
                j += 1
    for x in range(0, d * width, len(w)):
        adam(p.reduce, state.m1.reduce, state.m2.reduce, state.best.reduce, x, vload(out, x, w), step)
