"""Everything after the reduction, row by row: forward, loss, and the gradient written out.

A row's intermediate values never leave the first-level cache (`Scratch`). Of the gradients only one is not a plain
product: that of scaling to length one, for which, with g the gradient at y,

    y = x / ‖x‖:  g_x = (g − (g·y) y) / ‖x‖
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined
from lsgnn.train.fused.channel_norm import ROW, scale_row, scale_row_backward
from lsgnn.train.fused.structs import Floats, Scratch, Shape, Small
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
def draw_mask(s: Scratch, base: int, dropout: float, columns: int, w: Width) -> None:
    """A row's dropout mask, already scaled by 1 / (1 - dropout)."""
    threshold, scale = np.uint32(dropout * 4294967296.0), np.float32(1 / (1 - dropout))
    for t in range(0, columns, len(w)):
        vstore(s.mask, t, dropout_mask(base, t, threshold, scale, w))


@inlined
def unit_row(r: int, Z: Floats, s: Scratch, shape: Shape, w: Width) -> None:
    """Each channel of a row of Z scaled to length one, through ReLU into s.R."""
    z = shape.z
    for b in range(2 * shape.K + 1):
        x = r * shape.width + b * z
        norm = np.sqrt(dot(Z, x, Z, x, z, w))
        scale = ONE / max(norm, SMALLEST_NORM)
        s.inverse_norm[b] = ZERO if norm <= SMALLEST_NORM else scale
        for t in range(0, z, len(w)):
            y = vload(Z, x + t, w) * scale
            vstore(s.R, b * z + t, where_positive(y, y))


@inlined
def unit_row_backward(r: int, Z: Floats, s: Scratch, shape: Shape, w: Width) -> None:
    """From the gradient at s.R to that at Z, in its place. R is zero where ReLU was: no dot needs a mask."""
    z = shape.z
    for b in range(2 * shape.K + 1):
        along, scale, x = dot(s.grad_R, b * z, s.R, b * z, z, w), s.inverse_norm[b], r * shape.width + b * z
        for t in range(0, z, len(w)):
            grad = where_positive(vload(s.R, b * z + t, w), vload(s.grad_R, b * z + t, w))
            vstore(Z, x + t, (grad - (along * scale) * vload(Z, x + t, w)) * scale)


@inlined
def forward(r: int, Z: Floats, q: Small, s: Scratch, masked: bool, shape: Shape, w: Width) -> None:
    """Logits of row r into s.logit; α must be in s.alpha, the block of links (if any) in s.Q and, if masked, the
    dropout mask in s.mask."""
    K, z = shape.K, shape.z
    if shape.reduce_norm == ROW:
        unit_row(r, Z, s, shape, w)
    else:
        scale_row(r, Z, q, s, shape, w)
    for t in range(0, z, len(w)):  # fusion
        G_I = vload(s.R, t, w)
        vstore(s.Q, t, G_I)
        for k in range(1, K + 1):
            G_L, G_H = vload(s.R, (2 * k - 1) * z + t, w), vload(s.R, 2 * k * z + t, w)
            a = 3 * (k - 1)
            vstore(s.Q, k * z + t, at(s.alpha, a) * G_I + at(s.alpha, a + 1) * G_L + at(s.alpha, a + 2) * G_H)
    if shape.out_norm:
        for k in range(shape.blocks):
            norm = np.sqrt(dot(s.Q, k * z, s.Q, k * z, z, w))
            scale = ONE / max(norm, SMALLEST_NORM)
            s.inverse_out_norm[k] = ZERO if norm <= SMALLEST_NORM else scale
            for t in range(k * z, k * z + z, len(w)):
                vstore(s.Q, t, vload(s.Q, t, w) * scale)
    columns = shape.blocks * z
    for c in range(shape.C):  # dropout, output layer
        total = splat(ZERO, w)
        if masked:
            for t in range(0, columns, len(w)):
                total = total + vload(s.Q, t, w) * vload(s.mask, t, w) * vload(q.head, c * columns + t, w)
        else:
            for t in range(0, columns, len(w)):
                total = total + vload(s.Q, t, w) * vload(q.head, c * columns + t, w)
        s.logit[c] = vsum(total) + q.head_bias[c]


@inlined
def cross_entropy(s: Scratch, y: int) -> tuple[float, bool]:
    """(loss, correct) of the logits, which become exp(logit − greatest); the first of equal logits wins."""
    top, best, chosen, total = s.logit[0], 0, s.logit[y], ZERO
    for c in range(1, s.logit.shape[0]):
        if s.logit[c] > top:
            top, best = s.logit[c], c
    for c in range(s.logit.shape[0]):
        s.logit[c] = np.exp(s.logit[c] - top)
        total += s.logit[c]
    s.total[0] = total
    return np.log(total) + top - chosen, best == y


@inlined
def softmax_gradient(s: Scratch, y: int, scale: float) -> None:
    """s.logit, after `cross_entropy`, ← scale · (softmax − one-hot)."""
    factor = scale / s.total[0]
    for c in range(s.logit.shape[0]):
        s.logit[c] *= factor
    s.logit[y] -= scale


@inlined
def backward(r: int, Z: Floats, q: Small, g: Small, s: Scratch, masked: bool, shape: Shape, w: Width) -> None:
    """From the gradient at the logits (s.logit): Z's row becomes its gradient, g collects, s.grad_alpha is filled, and
    s.mask holds the gradient at all blocks."""
    K, z, C, columns = shape.K, shape.z, shape.C, shape.blocks * shape.z
    for c in range(C):
        g.head_bias[c] += s.logit[c]
    for t in range(0, z, len(w)):
        vstore(s.grad_R, t, splat(ZERO, w))
    for k in range(shape.blocks):
        for t in range(k * z, k * z + z, len(w)):  # output layer, dropout
            x, m = vload(s.Q, t, w), splat(ONE, w)
            if masked:
                m = vload(s.mask, t, w)
            xm, grad = x * m, splat(ZERO, w)
            for c in range(C):
                p = c * columns + t
                grad = grad + at(s.logit, c) * vload(q.head, p, w)
                vstore(g.head, p, vload(g.head, p, w) + at(s.logit, c) * xm)
            vstore(s.mask, t, grad * m)  # the mask is no longer needed: its place now holds the gradient at Q
        if shape.out_norm:
            along, scale = dot(s.mask, k * z, s.Q, k * z, z, w), s.inverse_out_norm[k]
            for t in range(k * z, k * z + z, len(w)):
                vstore(s.mask, t, (vload(s.mask, t, w) - along * vload(s.Q, t, w)) * scale)
        if k == 0:
            add_multiple(s.grad_R, 0, ONE, s.mask, 0, z, w)
        elif k <= K:  # fusion
            a, low, high = 3 * (k - 1), (2 * k - 1) * z, 2 * k * z
            s.grad_alpha[a] = dot(s.mask, k * z, s.R, 0, z, w)
            s.grad_alpha[a + 1] = dot(s.mask, k * z, s.R, low, z, w)
            s.grad_alpha[a + 2] = dot(s.mask, k * z, s.R, high, z, w)
            for t in range(0, z, len(w)):
                grad = vload(s.mask, k * z + t, w)
                vstore(s.grad_R, t, vload(s.grad_R, t, w) + at(s.alpha, a) * grad)
                vstore(s.grad_R, low + t, at(s.alpha, a + 1) * grad)
                vstore(s.grad_R, high + t, at(s.alpha, a + 2) * grad)
    if shape.reduce_norm == ROW:
        unit_row_backward(r, Z, s, shape, w)
    else:
        scale_row_backward(r, Z, g, s, shape, w)
