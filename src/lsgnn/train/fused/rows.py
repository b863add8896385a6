"""From the reduced channels of a row to what the output layer reads, and back.

Rows come in small batches, whose intermediate values never leave the first-level cache (`Scratch`). Of the gradients
only one is not a plain product: that of scaling to length one, for which, with g the gradient at y,

    y = x / ‖x‖:  g_x = (g − (g·y) y) / ‖x‖
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined
from lsgnn.train.fused.structs import Floats, Scratch, Shape, Work
from lsgnn.train.fused.vector import (
    Width,
    at,
    splat,
    vload,
    vstore,
    vsum,
    where_positive,
)
from lsgnn.train.fused.vector_functions import dropout_mask

ZERO, ONE = np.float32(0), np.float32(1)
SMALLEST_NORM = np.float32(1e-12)  # as torch.nn.functional.normalize


@inlined
def dot(a: Floats, i: int, b: Floats, j: int, z: int, w: Width) -> float:
    """a[i : i+z] · b[j : j+z]"""
    total = splat(ZERO, w)
    for t in range(0, z, len(w)):
        total = total + vload(a, i + t, w) * vload(b, j + t, w)
    return vsum(total)  # type: ignore[no-any-return]


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
def place(work: Work, r: int, column: int, w: Width) -> int:
    """Where the vector of row r that begins with this column lies in Z."""
    v = column // len(w)
    return work.Z_start[v] + r * work.Z_stride[v]  # type: ignore[no-any-return]


@inlined
def forward(i: int, r: int, work: Work, s: Scratch, masked: bool, shape: Shape, w: Width) -> None:
    """What the output layer reads of row r, number i of its batch: s.Q and, if masked by s.mask, s.masked_Q. Its α must
    be in s.alpha, the block of links (if any) in s.Q."""
    K, z, channels, columns = shape.K, shape.z, 2 * shape.K + 1, shape.blocks * shape.z
    R, Q, alpha = i * channels * z, i * columns, i * shape.alphas
    for b in range(channels):  # norm, ReLU
        total = splat(ZERO, w)
        for t in range(0, z, len(w)):
            x = vload(work.Z, place(work, r, b * z + t, w), w)
            total = total + x * x
        norm = np.sqrt(vsum(total))
        scale = ONE / max(norm, SMALLEST_NORM)
        s.inverse_norm[i * channels + b] = ZERO if norm <= SMALLEST_NORM else scale
        for t in range(0, z, len(w)):
            y = vload(work.Z, place(work, r, b * z + t, w), w) * scale
            vstore(s.R, R + b * z + t, where_positive(y, y))
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
def backward(i: int, r: int, work: Work, s: Scratch, masked: bool, shape: Shape, w: Width) -> None:
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
    for b in range(channels):  # ReLU, norm: R is zero wherever ReLU was, so that dot(grad, R) needs no mask
        along, scale = dot(s.grad_R, b * z, s.R, R + b * z, z, w), s.inverse_norm[i * channels + b]
        for t in range(0, z, len(w)):
            x = place(work, r, b * z + t, w)
            grad = where_positive(vload(s.R, R + b * z + t, w), vload(s.grad_R, b * z + t, w))
            vstore(work.Z, x, (grad - (along * scale) * vload(work.Z, x, w)) * scale)
