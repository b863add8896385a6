"""From the reduced channels of a batch of rows to what the output layer reads, and back.

The intermediate values of a batch never leave the first-level cache (`Scratch`). All gradients are plain products, but
for that of scaling to length one, which `row_norm.py` has written out.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined
from lsgnn.train.fused.row_norm import (
    BY_ROW,
    LARGEST_SCALE,
    add_to_part,
    inverse_norms,
    scale_row,
    scale_row_backward,
    unit_row_backward,
    unit_rows,
)
from lsgnn.train.fused.structs import Scratch, Shape, Small, Work
from lsgnn.train.fused.vector import BATCH, Width, at, vload, vstore, vsums
from lsgnn.train.fused.vector_functions import dropout_mask

ZERO = np.float32(0)


@inlined
def draw_mask(i: int, s: Scratch, base: int, dropout: float, shape: Shape, w: Width) -> None:
    """The dropout mask of row i of a batch, already scaled by 1 / (1 - dropout)."""
    threshold, scale = np.uint32(dropout * 4294967296.0), np.float32(1 / (1 - dropout))
    columns = shape.blocks * shape.z
    for t in range(0, columns, len(w)):
        vstore(s.mask, i * columns + t, dropout_mask(base, t, threshold, scale, w))


@inlined
def forward(row: int, count: int, q: Small, work: Work, s: Scratch, masked: bool, shape: Shape, w: Width) -> None:
    """What the output layer reads of a batch of rows, from `row` on: s.Q and, if masked by s.mask, s.masked_Q. Their α
    must be in s.alpha, the blocks of links (if any) in s.Q."""
    z, columns = shape.z, shape.blocks * shape.z
    if shape.reduce_norm == BY_ROW:
        unit_rows(row, count, work, s, shape, w)
    else:
        for i in range(count):
            scale_row(i, row + i, q, work, s, shape, w)
    for i in range(count):
        fuse(i, s, shape, w)
    if shape.out_norm:
        for i in range(count):
            for k in range(shape.blocks):
                for t in range(0, z, len(w)):
                    block = vload(s.Q, i * columns + k * z + t, w)
                    add_to_part(s, k * len(BATCH) + i, t == 0, block * block, w)
        inverse_norms(s, shape.blocks * len(BATCH), s.inverse_out_norm, w)
        for i in range(count):
            for k in range(shape.blocks):
                block, scale = i * columns + k * z, at(s.inverse_out_norm, k * len(BATCH) + i)
                for x in range(block, block + z, len(w)):
                    vstore(s.Q, x, vload(s.Q, x, w) * scale)
    if masked:
        for x in range(0, count * columns, len(w)):
            vstore(s.masked_Q, x, vload(s.Q, x, w) * vload(s.mask, x, w))


@inlined
def fuse(i: int, s: Scratch, shape: Shape, w: Width) -> None:
    """Block 0 of row i of the batch is the first channel, block k a sum of that and both of hop k, weighted by α."""
    K, z = shape.K, shape.z
    R, Q, alpha = i * (2 * K + 1) * z, i * shape.blocks * z, i * shape.alphas
    for t in range(0, z, len(w)):
        G_I = vload(s.R, R + t, w)
        vstore(s.Q, Q + t, G_I)
        for k in range(1, K + 1):
            G_L, G_H = vload(s.R, R + (2 * k - 1) * z + t, w), vload(s.R, R + 2 * k * z + t, w)
            a = alpha + 3 * (k - 1)
            vstore(s.Q, Q + k * z + t, at(s.alpha, a) * G_I + at(s.alpha, a + 1) * G_L + at(s.alpha, a + 2) * G_H)


@inlined
def backward(row: int, count: int, g: Small, work: Work, s: Scratch, masked: bool, shape: Shape, w: Width) -> None:
    """From the gradient at what the output layer read (s.grad_Q): rows of Z become their gradient, s.grad_alpha is
    filled, and s.grad_Q holds the gradient before dropout and norm."""
    z, columns = shape.z, shape.blocks * shape.z
    if masked:
        for x in range(0, count * columns, len(w)):
            vstore(s.grad_Q, x, vload(s.grad_Q, x, w) * vload(s.mask, x, w))
    if shape.out_norm:
        for i in range(count):
            for k in range(shape.blocks):
                for t in range(0, z, len(w)):
                    x = i * columns + k * z + t
                    add_to_part(s, k * len(BATCH) + i, t == 0, vload(s.grad_Q, x, w) * vload(s.Q, x, w), w)
        for x in range(0, shape.blocks * len(BATCH), len(w)):
            vstore(s.along, x, vsums(s.parts, x * len(w), w))
        for i in range(count):
            for k in range(shape.blocks):
                block, b = i * columns + k * z, k * len(BATCH) + i
                scale, along = at(s.inverse_out_norm, b), at(s.along, b)
                scale = ZERO if scale >= LARGEST_SCALE else scale
                for x in range(block, block + z, len(w)):
                    vstore(s.grad_Q, x, (vload(s.grad_Q, x, w) - along * vload(s.Q, x, w)) * scale)
    for i in range(count):
        fuse_backward(i, s, shape, w)
        if shape.reduce_norm == BY_ROW:
            unit_row_backward(i, row + i, work, s, shape, w)
        else:
            scale_row_backward(i, row + i, g, work, s, shape, w)


@inlined
def fuse_backward(i: int, s: Scratch, shape: Shape, w: Width) -> None:
    """From s.grad_Q of row i of the batch to s.grad_R and to s.grad_alpha, and s.along: the gradient at each channel
    times that channel, which takes one more product than α's gradient does."""
    K, z, A = shape.K, shape.z, shape.alphas
    R, Q, alpha, own = i * (2 * K + 1) * z, i * shape.blocks * z, i * A, 3 * K
    for t in range(0, z, len(w)):
        G_I, grad = vload(s.R, R + t, w), vload(s.grad_Q, Q + t, w)
        total, fresh = grad, t == 0
        add_to_part(s, own, fresh, grad * G_I, w)
        for k in range(1, K + 1):
            low, high, a = (2 * k - 1) * z + t, 2 * k * z + t, 3 * (k - 1)
            grad = vload(s.grad_Q, Q + k * z + t, w)
            add_to_part(s, a, fresh, grad * G_I, w)
            add_to_part(s, a + 1, fresh, grad * vload(s.R, R + low, w), w)
            add_to_part(s, a + 2, fresh, grad * vload(s.R, R + high, w), w)
            total = total + at(s.alpha, alpha + a) * grad
            vstore(s.grad_R, low, at(s.alpha, alpha + a + 1) * grad)
            vstore(s.grad_R, high, at(s.alpha, alpha + a + 2) * grad)
        vstore(s.grad_R, t, total)
    for x in range(0, own + 1, len(w)):
        vstore(s.dots, x, vsums(s.parts, x * len(w), w))
    along = at(s.dots, own)
    for k in range(1, K + 1):
        a = 3 * (k - 1)
        for c in range(a, a + 3):
            s.grad_alpha[alpha + c] = at(s.dots, c)
        along += at(s.alpha, alpha + a) * at(s.dots, a)
        s.along[2 * k - 1] = at(s.alpha, alpha + a + 1) * at(s.dots, a + 1)
        s.along[2 * k] = at(s.alpha, alpha + a + 2) * at(s.dots, a + 2)
    s.along[0] = along
