r"""The narrow reduction: channels times weights without ever forming the channels.

Hop k of a channel is :math:`H = \sum_s c_s \hat A^s X`, so that :math:`H W = \sum_s c_s \hat A^s (X W)`: multiply the
sparse X by the narrow W first, then propagate z columns instead of d, by Horner's rule. Rows that are not scored are
computed only where others read them:

    Y = X W,   Z = c₀ Y + outer · (c₁ Y + inner · (c₂ Y + …))

The gradient is the transpose of that. With G at Z and F = outerᵀ G,

    dY = c₀ G + c₁ F + innerᵀ · (c₂ F + innerᵀ · (c₃ F + …)),   dW = Xᵀ dY

Columns are independent of each other until the rows are scored. So a tile of one or two vectors of columns goes all the
way, from W to Z and from G to Adam's step on W, before the next one starts: its [N, tile] buffers stay in the cache.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.adam import Step, adam
from lsgnn.train.fused.structs import Csr, Filter, Floats, Narrow, Scratch, Shape, State, Weights, Work
from lsgnn.train.fused.team import TILES, Team, claim
from lsgnn.train.fused.vector import Vec, Width, splat, vload, vstore

ZERO, ONE = np.float32(0), np.float32(1)


@inlined
def gather(m: Csr, r: int, B: Floats, base: int, stride: int, w: Width) -> Vec:
    """Row r of m times B, whose row j starts at base + j · stride."""
    total, columns, values = splat(ZERO, w), m.column, m.value
    for e in range(m.start[r], m.start[r + 1]):
        total = total + values[e] * vload(B, base + columns[e] * stride, w)
    return total


@inlined
def multiply(m: Csr, B: Floats, base: int, stride: int, out: Floats, w: Width) -> None:
    """out = m B for one tile; both out and m name their rows by node."""
    for r in range(m.rows.shape[0]):
        vstore(out, m.rows[r] * len(w), gather(m, r, B, base, stride, w))


@inlined
def level(m: Csr, a: Vec, V: Floats, c: Vec, Y: Floats, out: Floats, w: Width) -> None:
    """One level of Horner's rule for one tile: out = a · m V + c · Y."""
    for r in range(m.rows.shape[0]):
        i = m.rows[r] * len(w)
        vstore(out, i, a * gather(m, r, V, 0, len(w), w) + c * vload(Y, i, w))


@inlined
def reduce_tile(
    column: int, top: int, narrow: Narrow, filter: Filter, W: Floats, work: Work, s: Scratch, shape: Shape, w: Width
) -> None:
    """A tile of Z; `top` is the highest power of Â in its columns."""
    c, width, outer, Y, V = narrow.coefficients, shape.width, filter.outer, s.Y, s.Y
    multiply(narrow.X, W, column * shape.d, len(w), Y, w)
    a = vload(c, top * width + column, w)
    for power in range(top - 1, 0, -1):
        out = s.T1 if power & 1 else s.T0
        level(filter.inner, a, V, vload(c, power * width + column, w), Y, out, w)
        V, a = out, splat(ONE, w)
    c0 = vload(c, column, w)
    for r in range(outer.rows.shape[0]):
        z = c0 * vload(Y, outer.rows[r] * len(w), w)
        if top > 0:
            z = z + a * gather(outer, r, V, 0, len(w), w)
        vstore(work.Z, column * shape.rows + r * len(w), z)


@inlined
def gradient_tile(
    column: int, top: int, narrow: Narrow, filter: Filter, work: Work, s: Scratch, shape: Shape, w: Width
) -> None:
    """The gradient at Y for one tile, into T1, from that at Z (training rows of work.Z)."""
    c, width, G, F, V, D = narrow.coefficients, shape.width, work.Z, s.Y, s.Y, s.T1
    inner_T, a = filter.inner_T, vload(c, top * width + column, w)
    if top > 0:
        multiply(filter.outer_T, G, column * shape.rows, len(w), F, w)
    for power in range(top - 1, 0, -1):
        out = D if power & 1 else s.T0
        level(inner_T, a, V, vload(c, power * width + column, w), F, out, w)
        V, a = out, splat(ONE, w)
    if top < 2:  # no level has filled D
        for r in range(inner_T.rows.shape[0]):
            i = inner_T.rows[r] * len(w)
            vstore(D, i, a * vload(F, i, w) if top > 0 else splat(ZERO, w))
    c0 = vload(c, column, w)
    for r in range(shape.train_rows):
        i, g = filter.outer.rows[r] * len(w), c0 * vload(G, column * shape.rows + r * len(w), w)
        vstore(D, i, g if r < narrow.unread else g + vload(D, i, w))


@inlined
def step_tile(
    column: int,
    top: int,
    narrow: Narrow,
    filter: Filter,
    p: Weights,
    state: State,
    work: Work,
    s: Scratch,
    shape: Shape,
    step: Step,
    w: Width,
) -> None:
    """Adam on a tile of the weights. Xᵀ comes in blocks of nodes, so that a block of dY stays in the cache; with the
    last block the gradient is known, and used without being stored."""
    gradient_tile(column, top, narrow, filter, work, s, shape, w)
    XT, d, blocks = narrow.XT, shape.d, narrow.XT.rows.shape[0] // shape.d
    for block in range(blocks):
        for j in range(d):
            g = gather(XT, block * d + j, s.T1, 0, len(w), w)
            if block > 0:
                g = g + vload(s.grad_tile, j * len(w), w)
            if block == blocks - 1:
                at = column * d + j * len(w)
                adam(p.reduce, state.m1.reduce, state.m2.reduce, state.best.reduce, at, g, step)
            else:
                vstore(s.grad_tile, j * len(w), g)


@kernel
def reduce_narrow(
    narrow: Narrow, weights: Weights, work: Work, s: Scratch, shape: Shape, team: Team, w: Width, wide: Width
) -> None:
    """Z [b, width]: every channel at every scored row, times its weights. Tiles are one or two vectors wide."""
    W, tiles = weights.reduce, narrow.tile_column.shape[0]
    tile = claim(team, TILES)
    while tile < tiles:
        column, top = narrow.tile_column[tile], narrow.tile_top[tile]
        filter = narrow.back if narrow.tile_back[tile] else narrow.forth
        if narrow.tile_size[tile] == len(wide):
            reduce_tile(column, top, narrow, filter, W, work, s, shape, wide)
        else:
            reduce_tile(column, top, narrow, filter, W, work, s, shape, w)
        tile = claim(team, TILES)


@kernel
def step_narrow(
    narrow: Narrow, p: Weights, state: State, work: Work, s: Scratch, shape: Shape, step: Step, team: Team, w: Width,
    wide: Width,
) -> None:  # fmt: skip
    """Adam on the reduction's weights, from the gradient at Z."""
    tiles = narrow.tile_column.shape[0]
    tile = claim(team, TILES)
    while tile < tiles:
        column, top = narrow.tile_column[tile], narrow.tile_top[tile]
        filter = narrow.back if narrow.tile_back[tile] else narrow.forth
        if narrow.tile_size[tile] == len(wide):
            step_tile(column, top, narrow, filter, p, state, work, s, shape, step, wide)
        else:
            step_tile(column, top, narrow, filter, p, state, work, s, shape, step, w)
        tile = claim(team, TILES)
