r"""The narrow reduction: channels times weights without ever forming the channels.

Hop k of a channel is :math:`H = \sum_s c_s \hat A^s X`, so that :math:`H W = \sum_s c_s \hat A^s (X W)`: multiply the
sparse X by the narrow W first, then propagate z columns instead of d, by Horner's rule. Rows that are not scored are
computed only where others read them:

    Y = X W,   Z = c₀ Y + outer · (c₁ Y + inner · (c₂ Y + …))

The gradient is the transpose of that. With G at Z and F = outerᵀ G,

    dY = c₀ G + c₁ F + innerᵀ · (c₂ F + innerᵀ · (c₃ F + …)),   dW = Xᵀ dY

Columns are independent of each other until the rows are scored. So a tile of one or two vectors of columns goes all the
way, from W to Z and from G to Adam's step on W, before the next one starts: its [N, tile] buffers stay in the cache.
Two tiles may meet the features together, as a pair: the sums of one run while those of the other wait for their last
addition, and indices and values are read once. They meet the edges one after the other, because four buffers of [N,
tile] would be too many for the cache. The bits of a tile are the same with a partner or without.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.adam import Step, adam
from lsgnn.train.fused.structs import Csr, Floats, Narrow, Scratch, Shape, State, Weights, Work
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
def gather_two(m: Csr, r: int, A: Floats, a: int, w: Width, B: Floats, b: int, v: Width) -> tuple[Vec, Vec]:
    """Row r of m times A and times B, whose rows j start at a + j · len(w) and b + j · len(v)."""
    left, right, columns, values = splat(ZERO, w), splat(ZERO, v), m.column, m.value
    for e in range(m.start[r], m.start[r + 1]):
        j, x = columns[e], values[e]
        left = left + x * vload(A, a + j * len(w), w)
        right = right + x * vload(B, b + j * len(v), v)
    return left, right


@inlined
def multiply(m: Csr, B: Floats, base: int, stride: int, out: Floats, w: Width) -> None:
    """out = m B for one tile; both out and m name their rows by node."""
    for r in range(m.rows.shape[0]):
        vstore(out, m.rows[r] * len(w), gather(m, r, B, base, stride, w))


@inlined
def multiply_two(m: Csr, B: Floats, first: int, second: int, left: Floats, right: Floats, w: Width, v: Width) -> None:
    """The same for two tiles of B, which start at `first` and `second` and are w and v wide."""
    for r in range(m.rows.shape[0]):
        x, y = gather_two(m, r, B, first, w, B, second, v)
        vstore(left, m.rows[r] * len(w), x)
        vstore(right, m.rows[r] * len(v), y)


@inlined
def level(m: Csr, a: Vec, V: Floats, c: Vec, Y: Floats, out: Floats, w: Width) -> None:
    """One level of Horner's rule for one tile: out = a · m V + c · Y."""
    for r in range(m.rows.shape[0]):
        i = m.rows[r] * len(w)
        vstore(out, i, a * gather(m, r, V, 0, len(w), w) + c * vload(Y, i, w))


@inlined
def reduce_tile(tile: int, narrow: Narrow, Y: Floats, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """A tile of Z from Y = X W."""
    column, top, c, width = narrow.tile_column[tile], narrow.tile_top[tile], narrow.coefficients, shape.width
    filter = narrow.back if narrow.tile_back[tile] else narrow.forth
    outer, V, a = filter.outer, Y, vload(c, top * width + column, w)
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
def gradient_tile(tile: int, narrow: Narrow, D: Floats, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """The gradient at Y for one tile, into D, from that at Z (training rows of work.Z)."""
    column, top, c, width = narrow.tile_column[tile], narrow.tile_top[tile], narrow.coefficients, shape.width
    filter = narrow.back if narrow.tile_back[tile] else narrow.forth
    G, F, V, inner_T, a = work.Z, s.Y, s.Y, filter.inner_T, vload(c, top * width + column, w)
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
    column: int, narrow: Narrow, p: Weights, state: State, s: Scratch, shape: Shape, step: Step, w: Width
) -> None:
    """Adam on a tile of the weights, whose gradient at Y is in T1. Xᵀ comes in blocks of nodes, so that a block of dY
    stays in the cache; with the last block the gradient is known, and used without being stored."""
    XT, d, blocks = narrow.XT, shape.d, narrow.XT.rows.shape[0] // shape.d
    for block in range(blocks):
        for j in range(d):
            g, t = gather(XT, block * d + j, s.T1, 0, len(w), w), j * len(w)
            if block > 0:
                g = g + vload(s.grad_tile, t, w)
            if block == blocks - 1:
                adam(p.reduce, state.m1.reduce, state.m2.reduce, state.best.reduce, column * d + t, g, step)
            else:
                vstore(s.grad_tile, t, g)


@inlined
def step_two(
    first: int, second: int, narrow: Narrow, p: Weights, state: State, s: Scratch, shape: Shape, step: Step, w: Width,
    v: Width,
) -> None:  # fmt: skip
    """The same for two tiles, which begin at these columns; the gradient at Y is in T1 and Y2."""
    XT, d, blocks = narrow.XT, shape.d, narrow.XT.rows.shape[0] // shape.d
    half = d * len(w)  # of the sums
    for block in range(blocks):
        for j in range(d):
            t, u = j * len(w), j * len(v)
            g, h = gather_two(XT, block * d + j, s.T1, 0, w, s.Y2, 0, v)
            if block > 0:
                g, h = g + vload(s.grad_tile, t, w), h + vload(s.grad_tile, half + u, v)
            if block == blocks - 1:
                adam(p.reduce, state.m1.reduce, state.m2.reduce, state.best.reduce, first * d + t, g, step)
                adam(p.reduce, state.m1.reduce, state.m2.reduce, state.best.reduce, second * d + u, h, step)
            else:
                vstore(s.grad_tile, t, g)
                vstore(s.grad_tile, half + u, h)


@kernel
def reduce_narrow(
    narrow: Narrow, weights: Weights, work: Work, s: Scratch, shape: Shape, team: Team, w: Width, wide: Width
) -> None:
    """Z [b, width]: every channel at every scored row, times its weights. Tiles are one or two vectors wide."""
    W, d, columns, units = weights.reduce, shape.d, narrow.tile_column, narrow.unit.shape[0] - 1
    unit = claim(team, TILES)
    while unit < units:
        first, end = narrow.unit[unit], narrow.unit[unit + 1]
        if end - first == 2 and narrow.tile_size[first + 1] == len(wide):
            multiply_two(narrow.X, W, columns[first] * d, columns[first + 1] * d, s.Y, s.Y2, wide, wide)
        elif end - first == 2:
            multiply_two(narrow.X, W, columns[first] * d, columns[first + 1] * d, s.Y, s.Y2, wide, w)
        elif narrow.tile_size[first] == len(wide):
            multiply(narrow.X, W, columns[first] * d, len(wide), s.Y, wide)
        else:
            multiply(narrow.X, W, columns[first] * d, len(w), s.Y, w)
        for tile in range(first, end):
            Y = s.Y if tile == first else s.Y2
            if narrow.tile_size[tile] == len(wide):
                reduce_tile(tile, narrow, Y, work, s, shape, wide)
            else:
                reduce_tile(tile, narrow, Y, work, s, shape, w)
        unit = claim(team, TILES)


@kernel
def step_narrow(
    narrow: Narrow, p: Weights, state: State, work: Work, s: Scratch, shape: Shape, step: Step, team: Team, w: Width,
    wide: Width,
) -> None:  # fmt: skip
    """Adam on the reduction's weights, from the gradient at Z."""
    columns, units = narrow.tile_column, narrow.unit.shape[0] - 1
    unit = claim(team, TILES)
    while unit < units:
        first, end = narrow.unit[unit], narrow.unit[unit + 1]
        for tile in range(first, end):
            D = s.T1 if tile == first else s.Y2
            if narrow.tile_size[tile] == len(wide):
                gradient_tile(tile, narrow, D, work, s, shape, wide)
            else:
                gradient_tile(tile, narrow, D, work, s, shape, w)
        if end - first == 2 and narrow.tile_size[first + 1] == len(wide):
            step_two(columns[first], columns[first + 1], narrow, p, state, s, shape, step, wide, wide)
        elif end - first == 2:
            step_two(columns[first], columns[first + 1], narrow, p, state, s, shape, step, wide, w)
        elif narrow.tile_size[first] == len(wide):
            step_tile(columns[first], narrow, p, state, s, shape, step, wide)
        else:
            step_tile(columns[first], narrow, p, state, s, shape, step, w)
        unit = claim(team, TILES)
