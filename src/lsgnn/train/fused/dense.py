"""The dense reduction: the channels at the scored rows are formed once, then it is plain matrix products.

Best where features are dense or few. The channels [2K+1, b, d] are packed (`packed.py`) so that both products read them
from front to back: panels of P rows, whose features come one after the other, in blocks of features:

    H [2K+1, feature blocks, panels, features of a block, P]

Forward, a panel's P rows of sums stay in registers and meet all features; backward, Q features' sums meet all rows. The
products are written here rather than left to a BLAS, because they run inside a kernel, in as many threads as it has,
and add up in the same order on every run.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import kernel
from lsgnn.train.fused.adam import Step, adam
from lsgnn.train.fused.outer_products import add_outer_products
from lsgnn.train.fused.structs import Panels, Scratch, Shape, State, Weights, Work
from lsgnn.train.fused.team import TILES, Team, claim
from lsgnn.train.fused.vector import Width, splat, vload, vstore

PANELS_PER_CHUNK = 8  # of rows, in the forward product
ZERO = np.float32(0)


@kernel
def reduce_dense(H: Panels, weights: Weights, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """Z [b, width] = every channel times its weights."""
    d, z, P, panel, W = shape.d, shape.z, len(H.rows), H.block * len(H.rows), weights.reduce
    whole = d // H.block  # blocks that are full; the last one may have features of zeros, which are left out
    rest = d - whole * H.block
    chunks = -(-H.panels // PANELS_PER_CHUNK)
    chunk = claim(team, TILES)
    while chunk < chunks:
        for c in range(2 * shape.K + 1):
            for i in range(chunk * PANELS_PER_CHUNK, min((chunk + 1) * PANELS_PER_CHUNK, H.panels)):
                h, next_block = (c * H.blocks * H.panels + i) * panel, H.panels * panel
                for t in range(0, z, len(w)):
                    b, o = c * z * d + t, (c * shape.rows + i * P) * z + t
                    add_outer_products(
                        H.values, h, (next_block, P, 1), W, b, (H.block * z, z), work.Z, o, z,
                        (whole, H.block), True, H.rows, w,
                    )  # fmt: skip
                    if rest > 0:
                        add_outer_products(
                            H.values, h + whole * next_block, (next_block, P, 1), W, b + whole * H.block * z,
                            (H.block * z, z), work.Z, o, z, (1, rest), False, H.rows, w,
                        )  # fmt: skip
        chunk = claim(team, TILES)


@kernel
def step_dense(
    H: Panels, p: Weights, state: State, work: Work, s: Scratch, shape: Shape, step: Step, team: Team, w: Width
) -> None:
    """Adam on the reduction's weights, from the gradient at Z (training rows of work.Z): a chunk is a block of features
    of one channel, whose sums stay in the first-level cache while all rows go by."""
    d, z, P, Q, panel = shape.d, shape.z, len(H.rows), len(H.features), H.block * len(H.rows)
    full = shape.train_rows // P
    rest = shape.train_rows - full * P
    chunk = claim(team, TILES)
    while chunk < (2 * shape.K + 1) * H.blocks:
        c, block = chunk // H.blocks, chunk % H.blocks
        first = chunk * H.panels * panel
        for x in range(0, H.block * z, len(w)):
            vstore(s.grad_tile, x, splat(ZERO, w))
        for start in range(0, full, H.together):
            panels = min(H.together, full - start)
            for j in range(0, H.block, Q):
                for t in range(0, z, len(w)):
                    add_outer_products(
                        H.values, first + start * panel + j * P, (panel, 1, P), work.Z,
                        (c * shape.rows + start * P) * z + t, (P * z, z), s.grad_tile, j * z + t, z,
                        (panels, P), False, H.features, w,
                    )  # fmt: skip
        if rest > 0:
            for j in range(0, H.block, Q):
                for t in range(0, z, len(w)):
                    add_outer_products(
                        H.values, first + full * panel + j * P, (panel, 1, P), work.Z,
                        (c * shape.rows + full * P) * z + t, (P * z, z), s.grad_tile, j * z + t, z,
                        (1, rest), False, H.features, w,
                    )  # fmt: skip
        for j in range(min(H.block, d - block * H.block)):
            for t in range(0, z, len(w)):
                gradient, x = vload(s.grad_tile, j * z + t, w), (c * d + block * H.block + j) * z + t
                adam(p.reduce, state.m1.reduce, state.m2.reduce, state.best.reduce, x, gradient, step)
        chunk = claim(team, TILES)
