"""The dense reduction's operand: the channels at the scored rows, in the order in which `dense.py` reads them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.compiled import entry_point
from lsgnn.config import LSGNNConfig
from lsgnn.memory import LOWER_K, require_memory
from lsgnn.propagate.aligned import aligned
from lsgnn.propagate.power_kernels import next_power
from lsgnn.propagate.precompute import Precomputed
from lsgnn.train.fused.dense import register_rows
from lsgnn.train.fused.operands import Nodes, power_coefficients, way_of_blocks
from lsgnn.train.fused.structs import Floats, Panels

BLOCK = 64  # features, about: a block's sums and a few panels share the first-level cache
BYTES_TOGETHER = 24 << 10  # of panels: half of that cache


def feature_blocks(d: int, Q: int) -> tuple[int, int]:
    """(number of blocks, features in each, a multiple of Q), with as few features of zeros as may be."""
    fewest, most = -(-d * 2 // (3 * BLOCK)), -(-d * 3 // (2 * BLOCK))
    choices = [(blocks, -(-d // (blocks * Q)) * Q) for blocks in range(max(1, fewest), most + 1)]
    return min(choices, key=lambda choice: (choice[0] * choice[1], choice[0]))


def panel_operand(pre: Precomputed, config: LSGNNConfig, scored: Nodes) -> Panels:
    """All channels at the scored nodes."""
    (n, d), K, channels, rows = pre.x.shape, config.K, 2 * config.num_hops + 1, register_rows()
    P, (blocks, block) = len(rows[0]), feature_blocks(pre.x.shape[1], len(rows[1]))
    panels = -(-len(scored) // P)
    padded = panels * P
    require_memory(
        4 * (channels * blocks * padded + len(pre.filters) * (K + 1) * len(scored) + 2 * n) * block,
        f"a stack of {len(scored)} × {d} features with K={K}",
        LOWER_K,
    )
    values = aligned(channels, blocks, panels, block, P)
    basis = np.zeros((len(pre.filters), K + 1, len(scored), block), np.float32)
    coefficients, row_of_sums = _by_direction(config), np.zeros(block, np.float32)
    for b in range(blocks):
        columns = slice(b * block, min((b + 1) * block, d))
        part = sp.csr_array(pre.x)[:, columns].toarray() if sp.issparse(pre.x) else pre.x[:, columns]
        for way, adj in enumerate(pre.filters):
            power = np.zeros((n, block), np.float32)
            power[:, : part.shape[1]] = part
            other = np.empty_like(power)
            for s in range(K + 1):
                np.take(power, scored, axis=0, out=basis[way, s])
                if s < K:
                    next_power(adj.indptr, adj.indices, adj.data, power, other)
                    power, other = other, power
        pack(basis.reshape(-1, len(scored), block), coefficients, values, b, row_of_sums)
    together = max(1, BYTES_TOGETHER // (4 * P * block))
    return Panels(values.ravel(), blocks, block, panels, together, *rows)


def _by_direction(config: LSGNNConfig) -> Floats:
    """Coefficients of the powers of each direction in each channel [directions · (K+1), channels]."""
    c, way = power_coefficients(config), way_of_blocks(config)
    return np.concatenate([c * (way == number) for number in range(len(config.directions))]).astype(np.float32)


@entry_point("the packing of features, 1 s")
def pack(basis: Floats, coefficients: Floats, out: NDArray[np.float32], b: int, row: Floats) -> None:
    """Block b of all channels, out [2K+1, blocks, panels, block, P], from the powers' [K+1, rows, block], of two
    directions one after the other."""
    powers, rows, block = basis.shape
    P = out.shape[4]
    for r in range(rows):
        for c in range(out.shape[0]):
            panel = out[c, b, r // P]
            for j in range(block):
                row[j] = coefficients[0, c] * basis[0, r, j]
            for s in range(1, powers):
                a = coefficients[s, c]
                if a != 0:
                    for j in range(block):
                        row[j] += a * basis[s, r, j]
            for j in range(block):
                panel[j, r % P] = row[j]
