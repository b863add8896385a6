"""The dense reduction: the channels at the scored rows are formed once, then it is plain matrix products.

Best where features are dense or few. The channels [2K+1, b, d] are packed (`packed.py`) so that both products read them
from front to back: panels of P rows, whose features come one after the other, in blocks of features:

    H [2K+1, feature blocks, panels, features of a block, P]

Forward, a panel's P rows of sums stay in registers and meet all features; backward, Q features' sums meet all rows.
Where a few dozen rows of all channels fit the second-level cache, they are reduced, scored and used for the gradient in
one go (`Shape.rows_together`), so that the channels come from memory once per epoch and Z never goes there. The
products are written here rather than left to a BLAS, because they run inside a kernel, in as many threads as it has,
and add up in the same order on every run.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.propagate.aligned import LINE
from lsgnn.train.fused.adam import Step, adam
from lsgnn.train.fused.outer_products import add_outer_products
from lsgnn.train.fused.structs import Floats, Panels, Scratch, Shape, State, Weights, Work
from lsgnn.train.fused.team import TILES, Team, claim
from lsgnn.train.fused.vector import Width, splat, vload, vstore

PANELS_PER_CHUNK = 8  # of rows, in the forward product
IN_LINE = LINE // 4  # numbers
ZERO = np.float32(0)


@cache
def register_rows() -> tuple[Width, Width]:
    """(P, Q): how many rows of sums the registers hold, forward and backward."""
    from llvmlite.binding import get_host_cpu_features

    if get_host_cpu_features().get("avx512f"):
        return Width(12), Width(16)  # of 32 registers, each a whole vector
    return Width(6), Width(6)  # of 16, where a vector takes two


@inlined
def reduce_panels(H: Panels, first: int, end: int, W: Floats, work: Work, shape: Shape, w: Width) -> None:
    """Z at some panels = every channel times its weights."""
    d, z, P, panel = shape.d, shape.z, len(H.rows), H.block * len(H.rows)
    whole = d // H.block  # blocks that are full; the last one may have features of zeros, which are left out
    rest = d - whole * H.block
    for c in range(2 * shape.K + 1):
        for i in range(first, end):
            h, next_block = (c * H.blocks * H.panels + i) * panel, H.panels * panel
            for t in range(0, z, len(w)):
                b, o = c * z * d + t, (c * shape.rows + i * P) * z + t
                add_outer_products(
                    H.values, h, (next_block, P, 1), W, b, (H.block * z, z), work.Z, o, z,
                    (whole, H.block), True, H.rows, w, (panel, P),
                )  # fmt: skip
                if rest > 0:
                    add_outer_products(
                        H.values, h + whole * next_block, (next_block, P, 1), W, b + whole * H.block * z,
                        (H.block * z, z), work.Z, o, z, (1, rest), False, H.rows, w, None,
                    )  # fmt: skip


@kernel
def reduce_dense(H: Panels, weights: Weights, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """Z [b, width], where all rows are reduced before any is scored."""
    chunks = -(-H.panels // PANELS_PER_CHUNK)
    chunk = claim(team, TILES)
    while chunk < chunks:
        end = min((chunk + 1) * PANELS_PER_CHUNK, H.panels)
        reduce_panels(H, chunk * PANELS_PER_CHUNK, end, weights.reduce, work, shape, w)
        chunk = claim(team, TILES)


@inlined
def add_gradient(
    H: Panels, first: int, end: int, number: int, sums: Floats, at: int, work: Work, shape: Shape, w: Width
) -> None:
    """What training rows first … end-1 (a panel's first, and any) add to the gradient of one block of features of one
    channel, from the gradient at Z: sums[at:] [features of the block, z]. The block has this `number`."""
    z, P, Q, panel = shape.z, len(H.rows), len(H.features), H.block * len(H.rows)
    c, start, full = number // H.blocks, first // P, (end - first) // P
    h, b, rest = (number * H.panels + start) * panel, (c * shape.rows + first) * z, end - first - full * P
    for j in range(0, H.block, Q):
        for t in range(0, z, len(w)):
            add_outer_products(
                H.values, h + j * P, (panel, 1, P), work.Z, b + t, (P * z, z), sums, at + j * z + t, z,
                (full, P), False, H.features, w, (panel, IN_LINE),
            )  # fmt: skip
            if rest > 0:
                add_outer_products(
                    H.values, h + full * panel + j * P, (panel, 1, P), work.Z, b + full * P * z + t, (P * z, z),
                    sums, at + j * z + t, z, (1, rest), False, H.features, w, None,
                )  # fmt: skip


@kernel
def step_dense(
    H: Panels, p: Weights, state: State, work: Work, s: Scratch, shape: Shape, step: Step, team: Team, w: Width
) -> None:
    """Adam on the reduction's weights. A chunk is a block of features of one channel. Its gradient is the sum of what
    the chunks of rows have left; or, where they have left nothing, it is made here from that at Z (training rows of
    work.Z), with sums that stay in the first-level cache while all rows go by."""
    d, z, P = shape.d, shape.z, len(H.rows)
    features = H.block * z
    blocks = (2 * shape.K + 1) * H.blocks
    chunk = claim(team, TILES)
    while chunk < blocks:
        c, block = chunk // H.blocks, chunk % H.blocks
        for x in range(0, features, len(w)):
            total = splat(ZERO, w)
            if shape.rows_together > 0:
                for part in range(shape.train_chunks):
                    total = total + vload(work.grad_reduce, (part * blocks + chunk) * features + x, w)
            vstore(s.grad_tile, x, total)
        if shape.rows_together == 0:
            for first in range(0, shape.train_rows, H.together * P):
                end = min(first + H.together * P, shape.train_rows)
                add_gradient(H, first, end, chunk, s.grad_tile, 0, work, shape, w)
        for j in range(min(H.block, d - block * H.block)):
            for t in range(0, z, len(w)):
                gradient, x = vload(s.grad_tile, j * z + t, w), (c * d + block * H.block + j) * z + t
                adam(p.reduce, state.m1.reduce, state.m2.reduce, state.best.reduce, x, gradient, step)
        chunk = claim(team, TILES)
