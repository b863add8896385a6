"""The memory of one training, allocated before the kernels run: they allocate nothing themselves."""

from __future__ import annotations

from math import lcm

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.memory import LOWER_EITHER, require_memory
from lsgnn.propagate.aligned import aligned
from lsgnn.train.fused.layout import Layout
from lsgnn.train.fused.row_norm import NORMS
from lsgnn.train.fused.structs import Floats, Panels, ScoredRows, Scratch, Shape, Work
from lsgnn.train.fused.vector import BATCH

ROWS_PER_CHUNK, SIMILARITIES_PER_CHUNK, MOST_CHUNKS = 64, 1024, 32  # at least; at most
CACHED_CHANNELS, CACHED_GRADIENT = 1 << 19, 1 << 18  # bytes of the second-level cache: see `rows_together`


def floats(*shape: int) -> Floats:
    return aligned(int(np.prod(shape, dtype=np.int64)))


def chunks_of(size: int, smallest: int) -> int:
    """Into how many chunks so many things are cut: by their number alone, so that results do not depend on threads."""
    return max(1, min(size // smallest, MOST_CHUNKS))


def rows_together(layout: Layout, H: Panels | None) -> int:
    """How many rows the dense reduction does at a time: as many as have their channels in the second-level cache, if
    the gradient of all its weights fits in there too; whole batches and panels. Batch norm needs all rows at once."""
    if H is None or layout.batch_norm:
        return 0
    features = (2 * layout.K + 1) * H.blocks * H.block
    step = lcm(len(BATCH), len(H.rows))
    return CACHED_CHANNELS // (4 * features) // step * step if 4 * features * layout.z <= CACHED_GRADIENT else 0


def make_shape(layout: Layout, rows: ScoredRows, train_rows: int, H: Panels | None, config: LSGNNConfig) -> Shape:
    padded_rows = len(rows.node) if H is None else H.panels * len(H.rows)
    val_rows, smoothed = len(rows.node) - train_rows, len(rows.smoothing.step.rows)
    return Shape(
        K=layout.K,
        z=layout.z,
        alphas=layout.alphas,
        C=layout.C,
        classes=layout.classes,
        rows=padded_rows,  # what the reduction needs of them
        d=layout.d,
        width=layout.width,
        train_rows=train_rows,
        val_rows=val_rows,
        train_chunks=chunks_of(train_rows, ROWS_PER_CHUNK),
        val_chunks=chunks_of(val_rows, ROWS_PER_CHUNK),
        similarity_chunks=chunks_of(len(rows.similarity), SIMILARITIES_PER_CHUNK),
        node_chunks=chunks_of(max(layout.n, smoothed), ROWS_PER_CHUNK),
        n=layout.n,
        blocks=layout.blocks,
        localsim=layout.localsim,
        out_norm=config.out_norm,
        reduce_norm=NORMS[config.reduce_norm],
        hops=layout.hops,
        smoothed=smoothed,
        columns=layout.columns,
        links_norm_at=layout.place_of("norm_weight"),
        reduce_norm_at=layout.place_of("norm_scale"),
        rows_together=rows_together(layout, H),
    )


def make_work(layout: Layout, shape: Shape, H: Panels | None, *, similarities: int, logits: bool, ranked: int) -> Work:
    """Buffers that all threads share; `ranked` rows are sorted by their logits."""
    rows, small = shape.train_rows + shape.val_rows, len(layout.zero_small())
    phis, normed = (layout.hops + 1) * shape.smoothed, shape.train_rows if layout.batch_norm else 0
    require_memory(
        4 * ((shape.rows + normed) * layout.width + layout.n * layout.z + shape.train_chunks * small),
        f"training on {rows} nodes with K={layout.K}, hidden_channels={layout.hidden_channels}",
        LOWER_EITHER,
    )
    start, stride = _places(layout, shape.rows)
    return Work(
        Z=floats(shape.rows, layout.width),
        Z_start=start,
        Z_stride=stride,
        f=floats(similarities),
        phi=floats(phis),
        grad_phi=floats(phis or shape.train_rows),
        grad_rows=floats(shape.train_chunks, small),
        grad_reduce=floats(shape.train_chunks, _gradient_size(layout, H)) if shape.rows_together else floats(0),
        grad_localsim=floats(shape.similarity_chunks, 4 * layout.z + len(layout.w)),
        al_out_T=floats(layout.z, layout.alphas),
        head_T=floats(layout.blocks * layout.z, layout.classes),
        L=floats(layout.n, layout.z),
        G=floats(shape.train_rows if layout.n else 0, layout.z),
        norm=floats(4 if layout.n else 0, layout.z),
        norm_parts=floats(shape.node_chunks, layout.z),
        standardized=floats(normed, layout.width),
        inverse_std=floats(layout.normed),
        train_parts=np.zeros(shape.train_chunks),
        val_parts=np.zeros(2 * shape.val_chunks),
        verdict=np.zeros(3, np.int64),
        logits=floats(rows, layout.C) if logits else floats(0),
        keys=np.zeros(ranked, np.int64),
        counts=np.zeros(3 * layout.C, np.int64),
    )


def _places(layout: Layout, rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each vector of columns: where it lies in row 0 of Z, and how far rows are apart."""
    places = [(column * rows + at, size) for column, size in layout.tiles for at in range(0, size, len(layout.w))]
    start, stride = np.array(places, dtype=np.int64).T
    return np.ascontiguousarray(start), np.ascontiguousarray(stride)


def _gradient_size(layout: Layout, H: Panels | None) -> int:
    """Numbers in the gradient of the dense reduction's weights, blocks of features padded."""
    return 0 if H is None else (2 * layout.K + 1) * H.blocks * H.block * layout.z


def _tile_gradient(layout: Layout, H: Panels | None) -> int:
    """Numbers in the sums of a tile's gradient: of a block of features, of all where rows are done a few at a time."""
    if H is None:
        return 2 * layout.d * max(size for _, size in layout.tiles)
    return _gradient_size(layout, H) if rows_together(layout, H) else H.block * layout.z


def scratch_bytes(layout: Layout, reached: int) -> int:
    """What the narrow reduction takes for each thread, for tiles in pairs."""
    return 4 * (4 * reached + 2 * layout.d) * max(size for _, size in layout.tiles)


def make_scratch(layout: Layout, reached: int, H: Panels | None) -> Scratch:
    """One thread's own: for tiles of `reached` nodes (0 for the dense reduction, which has blocks of features)."""
    K, z, A, B = layout.K, layout.z, layout.alphas, len(BATCH)
    tile = max(size for _, size in layout.tiles)
    sums = max((2 * K + 1) * B, layout.blocks * B, 3 * K + 1) + len(layout.w)  # whole vectors of them
    return Scratch(
        Y=floats(reached, tile),
        Y2=floats(reached, tile),
        T0=floats(reached, tile),
        T1=floats(reached, tile),
        grad_tile=floats(_tile_gradient(layout, H)),
        grad_small=layout.zero_small(),
        phi=floats(B, layout.columns),
        grad_phi=floats(layout.columns),
        hidden_in=floats(B, z),
        sigmoid=floats(B, z),
        hidden=floats(B, z),
        grad_hidden=floats(B, z),
        alpha=floats(B, A),
        grad_alpha=floats(B, A),
        R=floats(B, 2 * K + 1, z),
        inverse_norm=floats(sums),
        Q=floats(B, layout.blocks, z),
        inverse_out_norm=floats(sums),
        mask=floats(B, layout.blocks, z),
        masked_Q=floats(B, layout.blocks, z),
        grad_Q=floats(B, layout.blocks, z),
        logit=floats(B, layout.classes),
        total=floats(B),
        grad_R=floats(2 * K + 1, z),
        parts=floats(sums, len(layout.w)),
        along=floats(sums),
        dots=floats(sums),
    )
