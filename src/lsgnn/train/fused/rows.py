"""From the reduced channels of a row to what the output layer reads, and back.

Rows come in small batches, whose intermediate values never leave the first-level cache (`Scratch`). All gradients are
plain products, but for that of scaling to length one, which `row_norm.py` has written out.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined
from lsgnn.train.fused.row_norm import (
    BY_ROW,
    SMALLEST_NORM,
    dot,
    scale_row,
    scale_row_backward,
    unit_row,
    unit_row_backward,
)
from lsgnn.train.fused.structs import Floats, Scratch, Shape, Small, Work
from lsgnn.train.fused.vector import Width, at, splat, vload, vstore
from lsgnn.train.fused.vector_functions import dropout_mask

ZERO, ONE = np.float32(0), np.float32(1)


@inlined
def add_multiple(out: Floats, i: int, factor: float, x: Floats, j: int, z: int, w: Width) -> None:
    """out[i : i+z] += factor · x[j : j+z]"""
    for t in range(0, z, len(w)):
        vstore(out, i + t, vload(out, i + t, w) + factor * vload(x, j + t, w))


@inlined
def draw_mask(i: int, s: Scratch, base: int, dropout: float, shape: Shape, w: Width) -> None:
    """The dropout mask of row i of a batch, already scaled by 1 / (1 - dropout)."""
    threshold, scale = np.uint32(dropout * 4294967296.0), np.float32(1 / (1 - dropout))
    columns = shape.blocks * shape.z
    for t in range(0, columns, len(w)):
        vstore(s.mask, i * columns + t, dropout_mask(base, t, threshold, scale, w))


@inlined
def forward(i: int, r: int, q: Small, work: Work, s: Scratch, masked: bool, shape: Shape, w: Width) -> None:
    """What the output layer reads of row r, number i of its batch: s.Q and, if masked by s.mask, s.masked_Q. Its α must
    be in s.alpha, the block of links (if any) in s.Q."""
    K, z, channels, columns = shape.K, shape.z, 2 * shape.K + 1, shape.blocks * shape.z
    R, Q, alpha = i * channels * z, i * columns, i * shape.alphas
    if shape.reduce_norm == BY_ROW:
        unit_row(i, r, work, s, shape, w)
    else:
        scale_row(i, r, q, work, s, shape, w)
    for t in range(0, z, len(w)):  # fusion
        G_I = vload(s.R, R + t, w)
        vstore(s.Q, Q + t, G_I)
        for k in range(1, K + 1):
            G_L, G_H = vload(s.R, R + (2 * k - 1) * z + t, w), vload(s.R, R + 2 * k * z + t, w)
            a = alpha + 3 * (k - 1)
            vstore(s.Q, Q + k * z + t, at(s.alpha, a) * G_I + at(s.alpha, a + 1) * G_L + at(s.alpha, a + 2) * G_H)
    if shape.out_norm:
        for k in range(shape.blocks):
            norm = np.sqrt(dot(s.Q, Q + k * z, s.Q, Q + k * z, z, w))
            scale = ONE / max(norm, SMALLEST_NORM)
            s.inverse_out_norm[i * shape.blocks + k] = ZERO if norm <= SMALLEST_NORM else scale
            for t in range(k * z, k * z + z, len(w)):
                vstore(s.Q, Q + t, vload(s.Q, Q + t, w) * scale)
    if masked:
        for t in range(Q, Q + columns, len(w)):
            vstore(s.masked_Q, t, vload(s.Q, t, w) * vload(s.mask, t, w))


@inlined
def backward(i: int, r: int, g: Small, work: Work, s: Scratch, masked: bool, shape: Shape, w: Width) -> None:
    """From the gradient at what the output layer read (s.grad_Q): Z's row becomes its gradient, s.grad_alpha is filled,
    and s.grad_Q holds the gradient before dropout and norm."""
    K, z, channels, columns = shape.K, shape.z, 2 * shape.K + 1, shape.blocks * shape.z
    R, Q, alpha = i * channels * z, i * columns, i * shape.alphas
    for t in range(0, z, len(w)):
        vstore(s.grad_R, t, splat(ZERO, w))
    for k in range(shape.blocks):
        block = Q + k * z
        if masked:
            for t in range(block, block + z, len(w)):
                vstore(s.grad_Q, t, vload(s.grad_Q, t, w) * vload(s.mask, t, w))
        if shape.out_norm:
            along, scale = dot(s.grad_Q, block, s.Q, block, z, w), s.inverse_out_norm[i * shape.blocks + k]
            for t in range(block, block + z, len(w)):
                vstore(s.grad_Q, t, (vload(s.grad_Q, t, w) - along * vload(s.Q, t, w)) * scale)
        if k == 0:
            add_multiple(s.grad_R, 0, ONE, s.grad_Q, block, z, w)
        elif k <= K:  # fusion
            a, low, high = alpha + 3 * (k - 1), (2 * k - 1) * z, 2 * k * z
            s.grad_alpha[a] = dot(s.grad_Q, block, s.R, R, z, w)
            s.grad_alpha[a + 1] = dot(s.grad_Q, block, s.R, R + low, z, w)
            s.grad_alpha[a + 2] = dot(s.grad_Q, block, s.R, R + high, z, w)
            for t in range(0, z, len(w)):
                grad = vload(s.grad_Q, block + t, w)
                vstore(s.grad_R, t, vload(s.grad_R, t, w) + at(s.alpha, a) * grad)
                vstore(s.grad_R, low + t, at(s.alpha, a + 1) * grad)
                vstore(s.grad_R, high + t, at(s.alpha, a + 2) * grad)
    if shape.reduce_norm == BY_ROW:
        unit_row_backward(i, r, work, s, shape, w)
    else:
        scale_row_backward(i, r, g, work, s, shape, w)
