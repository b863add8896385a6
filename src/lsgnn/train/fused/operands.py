"""From `Precomputed` and the rows that are scored to the arrays of the kernels, with no row more than they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import reverse_cuthill_mckee
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.propagate.precompute import Precomputed, mixing
from lsgnn.propagate.similarity import NeighbourSimilarity
from lsgnn.train.fused.layout import DEGREE_SCALE, SIMILARITY_SCALE, Layout
from lsgnn.train.fused.structs import Csr, Filter, Floats, Links, Narrow, ScoredRows, Smoothing

Nodes = NDArray[np.int64]
NO_FLOATS, NO_INDICES = np.zeros(0, np.float32), np.zeros(0, np.uint32)
NOTHING = Csr(NO_INDICES, np.zeros(1, np.uint32), NO_INDICES, NO_FLOATS)
NO_SMOOTHING = Smoothing(NOTHING, NOTHING)
NODES_PER_BLOCK, ENTRIES_PER_BLOCK = 512, 16  # of Xᵀ: see `_transposed_in_blocks`
PAIRED_WEIGHTS = 1 << 20  # bytes of the second-level cache for the weights of two tiles


def as_csr(matrix: sp.csr_array, rows: Nodes | None = None) -> Csr:
    """The kernels' form of a sparse matrix; row r belongs to node rows[r] (by default r)."""
    matrix = sp.csr_array(matrix)
    matrix.sort_indices()
    numbers = np.arange(matrix.shape[0]) if rows is None else rows
    # copies: whatever the caller's arrays are (read-only, shared), the kernels see one and the same type
    return Csr(
        np.array(numbers, dtype=np.uint32),
        np.array(matrix.indptr, dtype=np.uint32),
        np.array(matrix.indices, dtype=np.uint32),
        np.array(matrix.data, dtype=np.float32),
    )


def link_operands(pre: Precomputed, config: LSGNNConfig) -> Links | None:
    """The links that the adjacency embedding reads, both ways; None where there is none."""
    if not config.adjacency_embedding:
        return None
    if pre.links is None:
        raise InputError("there are no links to embed: precompute them with adjacency_embedding=True")
    return Links(as_csr(pre.links), as_csr(sp.csr_array(pre.links.T)))


def power_coefficients(config: LSGNNConfig) -> NDArray[np.float32]:
    """Of Â^s in each block of columns, s = 0 … K [K+1, 2K+1]; the hops of two directions have the same."""
    K, hops, M = config.K, config.num_hops, mixing(config)  # [2, K, K+1]
    blocks = np.zeros((2 * hops + 1, K + 1), dtype=np.float32)
    blocks[0, 0] = 1.0
    blocks[1:] = np.tile(M.transpose(1, 0, 2), (hops // K, 1, 1)).reshape(2 * hops, K + 1)
    return np.ascontiguousarray(blocks.T)


def way_of_blocks(config: LSGNNConfig) -> NDArray[np.int64]:
    """Which direction each block of columns is of, 0 or 1; X goes with the first."""
    return np.concatenate([[0], np.repeat(np.arange(len(config.directions)), 2 * config.K)])


@dataclass(frozen=True)
class Reach:
    """The rows that are scored, and the nodes whose features they depend on."""

    nodes: Nodes  # [N] all of them, by their numbers in the graph; neighbours stand close together
    scored: Nodes  # [b] positions in `nodes` of training rows, then validation rows
    inner: Nodes  # positions in `nodes` of those that some row reads
    train_rows: int
    unread: int  # the first so many training rows are not read by any other

    @classmethod
    def of(cls, filters: Sequence[sp.csr_array], train: Nodes, val: Nodes, powers: int) -> Reach:
        """`powers` is the highest power of Â that occurs, in each direction."""
        n = filters[0].shape[0]
        read = np.zeros(n, dtype=bool)
        for adj in filters:
            frontier = np.concatenate([train, val])
            for _ in range(powers):
                now = np.zeros(n, dtype=bool)
                now[adj[frontier].indices] = True
                read |= now
                frontier = np.flatnonzero(now)
        needed = read.copy()
        needed[train] = needed[val] = True
        nodes = np.flatnonzero(needed)
        nodes = nodes[_neighbours_together(filters[0][nodes][:, nodes])]
        position = np.zeros(n, dtype=np.int64)
        position[nodes] = np.arange(len(nodes))
        parts = [train[~read[train]], train[read[train]], val]
        scored = np.concatenate([np.sort(position[part]) for part in parts])
        return cls(nodes, scored, np.flatnonzero(read[nodes]), len(train), len(parts[0]))


def _neighbours_together(adj: sp.csr_array) -> Nodes:
    """An order of the nodes in which a node's neighbours are near, so that what is gathered is often in the cache."""
    pattern = sp.csr_matrix(adj + adj.T)  # scipy's graph routines know matrices only
    return np.asarray(reverse_cuthill_mckee(pattern, symmetric_mode=True), dtype=np.int64)


def narrow_operands(
    pre: Precomputed, config: LSGNNConfig, reach: Reach, layout: Layout, threads: int = 1, learns: bool = True
) -> Narrow:
    """If nothing `learns`, the transposes are left out."""
    N, t, scored = len(reach.nodes), reach.train_rows, reach.scored
    read = np.zeros(N, dtype=bool)
    read[reach.inner] = True
    x = sp.csr_array(sp.csr_array(pre.x)[reach.nodes])
    c = power_coefficients(config)
    top = np.where(c != 0, np.arange(len(c))[:, None], 0).max(axis=0)  # of each block
    blocks = [np.arange(column, column + size) // layout.z for column, size in layout.tiles]
    ways = way_of_blocks(config)
    XT = NOTHING
    if learns:
        learning = read.copy()
        learning[scored[:t]] = True  # other nodes have no gradient at X W
        XT = as_csr(_transposed_in_blocks(x, learning))
    filters = [_filter(adj, reach, read, learns) for adj in pre.filters]
    tops = np.array([top[b].max() for b in blocks])
    sizes = np.array([size for _, size in layout.tiles])
    edges = len(filters[0].outer.value) + len(filters[0].inner.value)
    order = np.argsort(-sizes * (x.nnz + tops * edges), kind="stable")  # long tiles first: threads end together
    return Narrow(
        X=as_csr(x),
        XT=XT,
        forth=filters[0],
        back=filters[-1],
        unread=reach.unread,
        coefficients=np.repeat(c, layout.z, axis=1).ravel(),
        tile_column=np.array([column for column, _ in layout.tiles])[order],
        tile_size=sizes[order],
        tile_top=tops[order],
        tile_back=np.array([ways[b[0]] for b in blocks])[order],
        unit=_units(sizes[order], len(layout.wide), layout.d, threads),
    )


def _units(sizes: Nodes, wide: int, d: int, threads: int) -> Nodes:
    """Where the units of one or two tiles begin, and where the last ends. Pairs begin with a wide tile, if the weights
    of two fit the second-level cache; the last go alone, so that all threads have something to do until the end."""
    alone = 2 * (threads - 1)
    starts, tile, most = [0], 0, PAIRED_WEIGHTS // (4 * d * wide)
    while tile < len(sizes):
        paired = most >= 2 and tile + 2 <= len(sizes) - alone and sizes[tile] == wide
        tile += 2 if paired else 1
        starts.append(tile)
    return np.array(starts, dtype=np.int64)


def _filter(adj: sp.csr_array, reach: Reach, read: NDArray[np.bool_], learns: bool) -> Filter:
    """One direction's Â at the nodes that are reached; `read` [N] are those that some row reads."""
    reading = sp.diags_array(read.astype(np.float32))
    A = sp.csr_array(sp.csr_array(adj)[reach.nodes][:, reach.nodes] @ reading)
    inner, outer = A[reach.inner], A[reach.scored]
    outer_T = inner_T = NOTHING
    if learns:
        outer_T = as_csr(sp.csr_array(outer[: reach.train_rows].T)[reach.inner], reach.inner)
        inner_T = as_csr(sp.csr_array((reading @ A).T)[reach.inner], reach.inner)
    return Filter(as_csr(outer, reach.scored), as_csr(inner, reach.inner), outer_T, inner_T)


def _transposed_in_blocks(x: sp.csr_array, learning: NDArray[np.bool_]) -> sp.csr_array:
    """Xᵀ [d, N] at the learning nodes, cut into blocks of columns, one below the other [blocks · d, N].

    A block is read at random, once per feature, so its gradients should be in the cache; but a feature should still
    find enough of its entries in it.
    """
    n, d = x.shape
    blocks = max(1, min(x.nnz // (ENTRIES_PER_BLOCK * d), -(-n // NODES_PER_BLOCK)))
    rows = np.repeat(np.arange(n), np.diff(x.indptr))
    keep = learning[rows]
    at = (x.indices + rows * blocks // n * d)[keep]
    return sp.csr_array((x.data[keep], (at, rows[keep])), shape=(blocks * d, n))


def row_operands(
    pre: Precomputed,
    layout: Layout,
    weights: Mapping[str, Tensor],
    scored: Nodes,
    train_rows: int,
    y: NDArray[np.int64],
    loss_share: Floats,
) -> ScoredRows:
    """Inputs of the scored nodes, y [b] their classes; `weights` know the scales of what is standardised."""
    similarity, degree, smoothing = pre.similarity, weights.get(DEGREE_SCALE), NO_SMOOTHING
    values = standardized(similarity.values, weights.get(SIMILARITY_SCALE))
    if layout.hops:
        if pre.smoothing is None:
            raise InputError("there is nothing to smooth LocalSim with: precompute it with localsim_hops")
        share, share_T = sp.csr_array(similarity.share), sp.csr_array(similarity.share.T)
        smoothing = Smoothing(as_csr(pre.smoothing), as_csr(sp.csr_array(pre.smoothing.T)))
    else:
        share, share_T, used = _shares(similarity, scored, train_rows)
        values = values[used]
    return ScoredRows(
        node=scored.astype(np.uint32),
        y=y.astype(np.uint32),
        loss_share=loss_share,
        share=as_csr(share),
        similarity=values,
        share_T=as_csr(share_T),
        log_degree=NO_FLOATS if degree is None else standardized(similarity.log_degree[scored], degree),
        smoothing=smoothing,
    )


def standardized(values: Floats, scale: Tensor | None) -> Floats:
    """By the mean and standard deviation that the model keeps, if it does; a copy in any case."""
    mean, std = (0.0, 1.0) if scale is None else scale.numpy()
    return np.asarray((values - mean) / std, dtype=np.float32)


def _shares(
    similarity: NeighbourSimilarity, scored: Nodes, train_rows: int
) -> tuple[sp.csr_array, sp.csr_array, Nodes]:
    """The shares of the scored rows, the same transposed for training rows, and which similarities they are of.

    They are numbered in the order in which rows meet them, so that those of training rows come first.
    """
    share = sp.csr_array(sp.csr_array(similarity.share)[scored])
    first_met = np.full(len(similarity.values), share.nnz)
    first_met[share.indices[::-1]] = np.arange(share.nnz)[::-1]  # what is written last stays
    used = np.argsort(first_met, kind="stable")[: np.count_nonzero(first_met < share.nnz)]
    number = np.empty(len(first_met), dtype=np.int64)
    number[used] = np.arange(len(used))
    shape = (len(scored), max(1, len(used)))
    renumbered = sp.csr_array((share.data, number[share.indices], share.indptr), shape=shape)
    met = np.count_nonzero(first_met < share.indptr[train_rows])
    return renumbered, sp.csr_array(renumbered[:train_rows, :met].T), used
