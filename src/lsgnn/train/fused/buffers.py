"""The memory of one training, allocated before the kernels run: they allocate nothing themselves."""

from __future__ import annotations

import numpy as np

from lsgnn.memory import LOWER_EITHER, require_memory
from lsgnn.train.fused.layout import Layout
from lsgnn.train.fused.structs import Floats, Scratch, Work


def floats(*shape: int) -> Floats:
    return np.zeros(int(np.prod(shape, dtype=np.int64)), np.float32)


def make_work(
    layout: Layout,
    *,
    rows: int,
    train_rows: int,
    reached: int,
    similarities: int,
    smoothed: int,
    logits: bool,
    ranked: int,
) -> Work:
    """Buffers for `rows` scored rows, the first `train_rows` of them to train on, among `reached` nodes (0 for the
    dense reduction, which needs none of them), of which `ranked` are sorted by their logits; LocalSim of `smoothed`
    nodes is averaged."""
    normed = train_rows if layout.batch_norm else 0
    tile = max(size for _, size in layout.tiles)
    require_memory(
        4 * ((rows + normed) * layout.width + 3 * reached * tile + layout.n * layout.z),
        f"training on {rows} nodes with K={layout.K}, hidden_channels={layout.hidden_channels}",
        LOWER_EITHER,
    )
    return Work(
        Z=floats(rows, layout.width),
        Y=floats(reached, tile),
        T0=floats(reached, tile),
        T1=floats(reached, tile),
        f=floats(similarities),
        grad_f=floats(similarities),
        phi=floats(layout.hops + 1, smoothed),
        grad_phi=floats(layout.hops + 1, smoothed),
        grad_reduce=floats(layout.d, layout.width if layout.dense else tile),
        grad_small=layout.zero_small(),
        al_out_T=floats(layout.z, layout.alphas),
        L=floats(layout.n, layout.z),
        G=floats(train_rows if layout.n else 0, layout.z),
        norm=floats(4 if layout.n else 0, layout.z),
        standardized=floats(normed, layout.width),
        inverse_std=floats(layout.width if layout.batch_norm else 0),
        logits=floats(rows, layout.C) if logits else floats(0),
        keys=np.zeros(ranked, np.int64),
        counts=np.zeros(3 * layout.C, np.int64),
    )


def make_scratch(layout: Layout) -> Scratch:
    K, z, A = layout.K, layout.z, layout.alphas
    return Scratch(
        phi=floats(layout.columns),
        grad_phi=floats(layout.columns),
        hidden_in=floats(z),
        sigmoid=floats(z),
        hidden=floats(z),
        alpha=floats(A),
        grad_alpha=floats(A),
        R=floats(2 * K + 1, z),
        inverse_norm=floats(2 * K + 1),
        grad_R=floats(2 * K + 1, z),
        Q=floats(layout.blocks, z),
        inverse_out_norm=floats(layout.blocks),
        mask=floats(layout.blocks, z),
        logit=floats(layout.C),
        total=floats(1),
    )
