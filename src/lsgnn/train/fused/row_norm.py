"""The last step of the reduction, row by row: norm and ReLU, from Z to s.R, and back.

`reduce_norm` is one of three. `row` scales each channel to length one, whose gradient is, with g the gradient at y,

    y = x / ‖x‖:  g_x = (g − (g·y) y) / ‖x‖

`batch` scales and shifts columns that `channel_norm.py` has standardised; `none` leaves rows as they are.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined
from lsgnn.config import ReduceNorm
from lsgnn.train.fused.structs import Floats, Scratch, Shape, Small, Work
from lsgnn.train.fused.vector import Width, splat, vload, vstore, vsum, where_positive

ZERO, ONE = np.float32(0), np.float32(1)
SMALLEST_NORM = np.float32(1e-12)  # as torch.nn.functional.normalize
BY_ROW, BY_BATCH, NOT_AT_ALL = 0, 1, 2
NORMS: dict[ReduceNorm, int] = {"row": BY_ROW, "batch": BY_BATCH, "none": NOT_AT_ALL}


@inlined
def place(work: Work, r: int, column: int, w: Width) -> int:
    """Where the vector of row r that begins with this column lies in Z."""
    v = column // len(w)
    return work.Z_start[v] + r * work.Z_stride[v]  # type: ignore[no-any-return]


@inlined
def dot(a: Floats, i: int, b: Floats, j: int, z: int, w: Width) -> float:
    """a[i : i+z] · b[j : j+z]"""
    total = splat(ZERO, w)
    for t in range(0, z, len(w)):
        total = total + vload(a, i + t, w) * vload(b, j + t, w)
    return vsum(total)  # type: ignore[no-any-return]


@inlined
def unit_row(i: int, r: int, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """Each channel of row r, number i of its batch, scaled to length one, through ReLU into s.R."""
    z, channels = shape.z, 2 * shape.K + 1
    R = i * channels * z
    for b in range(channels):
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


@inlined
def unit_row_backward(i: int, r: int, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """From the gradient at s.R to that at Z, in its place. R is zero where ReLU was: no dot needs a mask."""
    z, channels = shape.z, 2 * shape.K + 1
    R = i * channels * z
    for b in range(channels):
        along, scale = dot(s.grad_R, b * z, s.R, R + b * z, z, w), s.inverse_norm[i * channels + b]
        for t in range(0, z, len(w)):
            x = place(work, r, b * z + t, w)
            grad = where_positive(vload(s.R, R + b * z + t, w), vload(s.grad_R, b * z + t, w))
            vstore(work.Z, x, (grad - (along * scale) * vload(work.Z, x, w)) * scale)


@inlined
def scale_row(i: int, r: int, q: Small, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """Row r scaled and shifted (batch norm) or as it is, through ReLU into s.R."""
    for t in range(0, shape.width, len(w)):
        y = vload(work.Z, place(work, r, t, w), w)
        if shape.reduce_norm == BY_BATCH:
            y = y * vload(q.norm_scale, t, w) + vload(q.norm_shift, t, w)
        vstore(s.R, i * shape.width + t, where_positive(y, y))


@inlined
def scale_row_backward(i: int, r: int, g: Small, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """From the gradient at s.R to that before ReLU, in the place of the row of Z; scale and shift have theirs in g."""
    for t in range(0, shape.width, len(w)):
        x = place(work, r, t, w)
        grad = where_positive(vload(s.R, i * shape.width + t, w), vload(s.grad_R, t, w))
        if shape.reduce_norm == BY_BATCH:
            vstore(g.norm_scale, t, vload(g.norm_scale, t, w) + grad * vload(work.Z, x, w))
            vstore(g.norm_shift, t, vload(g.norm_shift, t, w) + grad)
        vstore(work.Z, x, grad)
