"""What `reduce_norm` is where it is not the length of rows: batch norm of the reduced columns, or nothing.

Mean μ and variance σ² of a column are those of the training rows in a training step, and running averages of them in
evaluation. Rows of Z are standardised in place before they are scored (training rows and validation rows are different
ones, each by their own statistics); their scale and shift are applied row by row. With x̂ the standardised columns, g
the gradient at w x̂ + b and sums over the b training rows,

    g_Z = w / σ · (g − Σ g / b − x̂ · Σ g x̂ / b)
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.config import ReduceNorm
from lsgnn.train.fused.structs import Floats, Scratch, Shape, Small, Weights, Work
from lsgnn.train.fused.vector import Width, splat, vload, vsqrt, vstore, where_positive

ZERO, ONE = np.float32(0), np.float32(1)
EPSILON, MOMENTUM = np.float32(1e-5), np.float32(0.1)  # torch's defaults
BLOCK = 256  # rows summed up on their own, so that long sums keep their digits
ROW, BATCH, NONE = 0, 1, 2
NORMS: dict[ReduceNorm, int] = {"row": ROW, "batch": BATCH, "none": NONE}


@kernel
def standardize_validation(p: Weights, work: Work, shape: Shape, w: Width) -> None:
    """Validation rows of Z by the running averages."""
    width, Z = shape.width, work.Z
    for t in range(0, width, len(w)):
        mean = vload(p.averages, t, w)
        inverse = splat(ONE, w) / vsqrt(vload(p.averages, width + t, w) + EPSILON)
        for r in range(shape.train_rows, shape.train_rows + shape.val_rows):
            x = r * width + t
            vstore(Z, x, (vload(Z, x, w) - mean) * inverse)


@kernel
def standardize_training(p: Weights, work: Work, shape: Shape, w: Width) -> None:
    """Training rows of Z by their own mean and variance, towards which the running ones move; a copy is kept."""
    b, width, Z = shape.train_rows, shape.width, work.Z
    for t in range(0, width, len(w)):
        total = splat(ZERO, w)
        for start in range(0, b, BLOCK):
            part = splat(ZERO, w)
            for r in range(start, min(start + BLOCK, b)):
                part = part + vload(Z, r * width + t, w)
            total = total + part
        mean, total = total * np.float32(1 / b), splat(ZERO, w)
        for start in range(0, b, BLOCK):
            part = splat(ZERO, w)
            for r in range(start, min(start + BLOCK, b)):
                x = vload(Z, r * width + t, w) - mean
                part = part + x * x
            total = total + part
        unbiased = total * np.float32(1 / (b - 1))
        vstore(p.averages, t, (ONE - MOMENTUM) * vload(p.averages, t, w) + MOMENTUM * mean)
        vstore(p.averages, width + t, (ONE - MOMENTUM) * vload(p.averages, width + t, w) + MOMENTUM * unbiased)
        inverse = splat(ONE, w) / vsqrt(total * np.float32(1 / b) + EPSILON)
        vstore(work.inverse_std, t, inverse)
        for r in range(b):
            x = (vload(Z, r * width + t, w) - mean) * inverse
            vstore(Z, r * width + t, x)
            vstore(work.standardized, r * width + t, x)


@inlined
def scale_row(r: int, Z: Floats, q: Small, s: Scratch, shape: Shape, w: Width) -> None:
    """A row of Z, scaled and shifted (batch norm) or as it is, through ReLU into s.R."""
    for t in range(0, shape.width, len(w)):
        y = vload(Z, r * shape.width + t, w)
        if shape.reduce_norm == BATCH:
            y = y * vload(q.norm_scale, t, w) + vload(q.norm_shift, t, w)
        vstore(s.R, t, where_positive(y, y))


@inlined
def scale_row_backward(r: int, Z: Floats, g: Small, s: Scratch, shape: Shape, w: Width) -> None:
    """From the gradient at s.R to that before ReLU, in the place of the row of Z; scale and shift have theirs in g."""
    for t in range(0, shape.width, len(w)):
        x, grad = r * shape.width + t, where_positive(vload(s.R, t, w), vload(s.grad_R, t, w))
        if shape.reduce_norm == BATCH:
            vstore(g.norm_scale, t, vload(g.norm_scale, t, w) + grad * vload(Z, x, w))
            vstore(g.norm_shift, t, vload(g.norm_shift, t, w) + grad)
        vstore(Z, x, grad)


@kernel
def standardize_backward(q: Small, g: Small, work: Work, shape: Shape, w: Width) -> None:
    """The gradient of the training rows of Z, from that after their standardisation; sums over rows are in g."""
    b, width, Z = shape.train_rows, shape.width, work.Z
    for t in range(0, width, len(w)):
        scale = vload(q.norm_scale, t, w) * vload(work.inverse_std, t, w)
        constant = vload(g.norm_shift, t, w) * np.float32(-1 / b)
        slope = vload(g.norm_scale, t, w) * np.float32(-1 / b)
        for r in range(b):
            x = r * width + t
            vstore(Z, x, scale * (vload(Z, x, w) + constant + slope * vload(work.standardized, x, w)))
