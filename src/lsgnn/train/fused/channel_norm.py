"""Batch norm of the reduced columns, where `reduce_norm` is that: what it does across rows.

Mean μ and variance σ² of a column are those of the training rows in a training step, and running averages of them in
evaluation. Rows of Z are standardised in place before they are scored (training rows and validation rows are different
ones, each by their own statistics); their scale w and shift are applied row by row (`row_norm.py`). With x̂ the
standardised columns, g the gradient at w x̂ + shift and sums over the b training rows,

    g_Z = w / σ · (g − Σ g / b − x̂ · Σ g x̂ / b)

Columns are independent of each other: a vector of them is a chunk, and its sums run over the rows in their order.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import kernel
from lsgnn.train.fused.structs import Shape, Small, Weights, Work
from lsgnn.train.fused.team import TILES, Team, claim, meet
from lsgnn.train.fused.vector import Width, splat, vload, vsqrt, vstore

ZERO, ONE = np.float32(0), np.float32(1)
EPSILON, MOMENTUM = np.float32(1e-5), np.float32(0.1)  # torch's defaults
BLOCK = 256  # rows summed up on their own, so that long sums keep their digits


@kernel
def standardize_validation(p: Weights, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """Validation rows of Z by the running averages."""
    Z, width = work.Z, shape.width
    v = claim(team, TILES)
    while v < width // len(w):
        t, start, stride = v * len(w), work.Z_start[v], work.Z_stride[v]
        mean = vload(p.averages, t, w)
        inverse = splat(ONE, w) / vsqrt(vload(p.averages, width + t, w) + EPSILON)
        for r in range(shape.train_rows, shape.train_rows + shape.val_rows):
            x = start + r * stride
            vstore(Z, x, (vload(Z, x, w) - mean) * inverse)
        v = claim(team, TILES)
    meet(team)


@kernel
def standardize_training(p: Weights, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """Training rows of Z by their own mean and variance, towards which the running ones move; a copy is kept."""
    Z, width, b = work.Z, shape.width, shape.train_rows
    v = claim(team, TILES)
    while v < width // len(w):
        t, start, stride = v * len(w), work.Z_start[v], work.Z_stride[v]
        total = splat(ZERO, w)
        for first in range(0, b, BLOCK):
            part = splat(ZERO, w)
            for r in range(first, min(first + BLOCK, b)):
                part = part + vload(Z, start + r * stride, w)
            total = total + part
        mean, total = total * np.float32(1 / b), splat(ZERO, w)
        for first in range(0, b, BLOCK):
            part = splat(ZERO, w)
            for r in range(first, min(first + BLOCK, b)):
                x = vload(Z, start + r * stride, w) - mean
                part = part + x * x
            total = total + part
        unbiased = total * np.float32(1 / (b - 1))
        vstore(p.averages, t, (ONE - MOMENTUM) * vload(p.averages, t, w) + MOMENTUM * mean)
        vstore(p.averages, width + t, (ONE - MOMENTUM) * vload(p.averages, width + t, w) + MOMENTUM * unbiased)
        inverse = splat(ONE, w) / vsqrt(total * np.float32(1 / b) + EPSILON)
        vstore(work.inverse_std, t, inverse)
        for r in range(b):
            x = (vload(Z, start + r * stride, w) - mean) * inverse
            vstore(Z, start + r * stride, x)
            vstore(work.standardized, t * b + r * len(w), x)
        v = claim(team, TILES)
    meet(team)


@kernel
def standardize_backward(q: Small, work: Work, small: int, shape: Shape, team: Team, w: Width) -> None:
    """The gradient of the training rows of Z, from that after their standardisation; each chunk of rows has left its
    sums among its gradients of the `small` parameters."""
    Z, width, b = work.Z, shape.width, shape.train_rows
    v = claim(team, TILES)
    while v < width // len(w):
        t, start, stride = v * len(w), work.Z_start[v], work.Z_stride[v]
        constant, slope = splat(ZERO, w), splat(ZERO, w)
        for chunk in range(shape.train_chunks):
            at = chunk * small + shape.reduce_norm_at + t
            slope = slope + vload(work.grad_rows, at, w)
            constant = constant + vload(work.grad_rows, at + width, w)
        constant, slope = constant * np.float32(-1 / b), slope * np.float32(-1 / b)
        scale = vload(q.norm_scale, t, w) * vload(work.inverse_std, t, w)
        for r in range(b):
            x, standardized = start + r * stride, vload(work.standardized, t * b + r * len(w), w)
            vstore(Z, x, scale * (vload(Z, x, w) + constant + slope * standardized))
        v = claim(team, TILES)
    meet(team)
