"""The last step of the reduction, a batch of rows at a time: norm and ReLU, from Z to s.R, and back.

`reduce_norm` is one of three. `row` scales each channel to length one, whose gradient is, with g the gradient at y,

    y = x / ‖x‖:  g_x = (g − (g·y) y) / ‖x‖

`batch` scales and shifts columns that `channel_norm.py` has standardised; `none` leaves rows as they are.

Sums over the columns of a channel are taken of a whole batch at a time (`vsums`): one by one, each would wait for the
additions, the root and the division of the one before it.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined
from lsgnn.config import ReduceNorm
from lsgnn.train.fused.structs import Floats, Scratch, Shape, Small, Work
from lsgnn.train.fused.vector import BATCH, Vec, Width, at, splat, vload, vmax, vsqrt, vstore, vsums, where_positive

ZERO, ONE = np.float32(0), np.float32(1)
SMALLEST_NORM = np.float32(1e-12)  # as torch.nn.functional.normalize
LARGEST_SCALE = ONE / SMALLEST_NORM  # of a row of nothing, which has no slope
BY_ROW, BY_BATCH, NOT_AT_ALL = 0, 1, 2
NORMS: dict[ReduceNorm, int] = {"row": BY_ROW, "batch": BY_BATCH, "none": NOT_AT_ALL}


@inlined
def place(work: Work, r: int, column: int, w: Width) -> int:
    """Where the vector of row r that begins with this column lies in Z."""
    v = column // len(w)
    return work.Z_start[v] + r * work.Z_stride[v]  # type: ignore[no-any-return]


@inlined
def inverse_norms(s: Scratch, count: int, out: Floats, w: Width) -> None:
    """out[:count] = 1 / ‖x‖ of as many x, the parts of whose ‖x‖² lie in s.parts."""
    for x in range(0, count, len(w)):
        norm = vsqrt(vsums(s.parts, x * len(w), w))
        vstore(out, x, splat(ONE, w) / vmax(norm, splat(SMALLEST_NORM, w)))


@inlined
def add_to_part(s: Scratch, part: int, fresh: bool, product: Vec, w: Width) -> None:
    """What one vector of columns adds to a sum."""
    vstore(s.parts, part * len(w), product if fresh else vload(s.parts, part * len(w), w) + product)


@inlined
def unit_rows(row: int, count: int, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """Each channel of a batch of rows, from `row` on, scaled to length one, through ReLU into s.R."""
    z, channels, B = shape.z, 2 * shape.K + 1, len(BATCH)
    for b in range(channels):
        for t in range(0, z, len(w)):
            start, stride = place(work, row, b * z + t, w), work.Z_stride[(b * z + t) // len(w)]
            for i in range(count):
                x = vload(work.Z, start + i * stride, w)
                add_to_part(s, b * B + i, t == 0, x * x, w)
    inverse_norms(s, channels * B, s.inverse_norm, w)
    for b in range(channels):
        for t in range(0, z, len(w)):
            start, stride = place(work, row, b * z + t, w), work.Z_stride[(b * z + t) // len(w)]
            for i in range(count):
                y = vload(work.Z, start + i * stride, w) * at(s.inverse_norm, b * B + i)
                vstore(s.R, (i * channels + b) * z + t, where_positive(y, y))


@inlined
def unit_row_backward(i: int, r: int, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """From the gradient at row i of s.R, in s.grad_R, to that at row r of Z, in its place. s.along has the dot products
    of both; R is zero where ReLU was, so that none needs a mask."""
    z, channels, B = shape.z, 2 * shape.K + 1, len(BATCH)
    for b in range(channels):
        scale = at(s.inverse_norm, b * B + i)
        scale = ZERO if scale >= LARGEST_SCALE else scale
        back = at(s.along, b) * scale * scale
        for t in range(b * z, (b + 1) * z, len(w)):
            x = place(work, r, t, w)
            grad = where_positive(vload(s.R, i * channels * z + t, w), vload(s.grad_R, t, w))
            vstore(work.Z, x, grad * scale - back * vload(work.Z, x, w))


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
