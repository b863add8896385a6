"""Graph + settings → `Precomputed`: everything of LSGNN that has no parameters, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.memory import LOWER_K, require_memory
from lsgnn.propagate.aligned import aligned
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.extremes import require_moderate_features, require_moderate_filter, require_moderate_weights
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.filters import adjacency, filter_pair, normalized_adjacency
from lsgnn.propagate.irdc import MAX_BASIS_K, mixing_matrix, propagate
from lsgnn.propagate.similarity import NeighbourSimilarity, edge_similarity, pairs_of, smoothing_matrix

CACHE_BYTES = 1 << 22  # a column block of the propagated matrix should stay in the processor's cache
NARROWEST_BLOCK = 32  # columns; in narrower ones reading the indices costs more than the cache saves


@dataclass(frozen=True)
class Precomputed:
    """The parameter-free half of LSGNN for one graph; shared by all β, γ, K, splits and seeds.

    Args:
        x: scaled features [n, d].
        adj: Â [n, n], rows reading columns.
        similarity: similarities of each node to its neighbours.
        links: A [n, n] of out-links, self loops kept, for the adjacency embedding (None unless asked for).
        columns: the scale of standardised features (None otherwise).
        smoothing: what averages φ over a node and its neighbours [n, n] (None unless asked for).
        compared: A [n, n] of the neighbours that LocalSim compares by what a first model predicts (None where it
            compares features, whose similarities are known beforehand).
        back: Â against the edges, where both directions are read (`adj` is then the one along them; None otherwise).
    """

    x: Features
    adj: sp.csr_array
    similarity: NeighbourSimilarity
    links: sp.csr_array | None = None
    columns: ColumnScale | None = None
    smoothing: sp.csr_array | None = None
    compared: sp.csr_array | None = None
    back: sp.csr_array | None = None

    @property
    def filters(self) -> tuple[sp.csr_array, ...]:
        """Â of each direction that is read."""
        return (self.adj,) if self.back is None else (self.adj, self.back)

    @property
    def num_nodes(self) -> int:
        return int(self.x.shape[0])

    @cached_property
    def linked_both_ways(self) -> bool:
        """True if every link has its counterpart, so that one way of a new one says both."""
        return self.links is not None and not (self.links != self.links.T).nnz


def precompute(graph: Graph, config: LSGNNConfig, columns: ColumnScale | None = None) -> Precomputed:
    """Everything that does not depend on β, γ or K: scaled features, Â and the similarities.

    `columns` is the scale of standardised features; by default the graph's own, else that of the one trained on.
    """
    x = sparse_if_mostly_zero(graph.x)
    _require_memory_for(graph, x)
    if config.feature_norm == "standard":
        columns = columns or ColumnScale.of(x)
    x = normalize_features(x, config.feature_norm, columns)
    require_moderate_features(x, graph, config.feature_norm)
    adj, *back = (
        normalized_adjacency(adjacency(graph, way), config.degree, config.filter) for way in config.directions
    )
    for filter in (adj, *back):
        require_moderate_filter(filter, x, graph, config.K)
    if config.adjacency_embedding:
        require_moderate_weights(graph, "adjacency_embedding")
    links = adjacency(graph, "out", self_loops=True) if config.adjacency_embedding else None
    smoothing = smoothing_matrix(localsim_neighbours(graph, config)) if config.localsim_hops else None
    similarity = neighbour_similarity(graph, x, config)
    compared = localsim_neighbours(graph, config) if config.localsim_space == "predictions" else None
    return Precomputed(x, adj, similarity, links, columns, smoothing, compared, *back)


def _require_memory_for(graph: Graph, x: Features) -> None:
    """Scaled features (sparse ones in double precision), or one similarity per edge and way: whichever is more."""
    values = sp.csr_array(x).nnz if sp.issparse(x) else int(np.prod(x.shape))
    scaling, comparing = (32 if sp.issparse(x) else 5) * values, 4 * values + 2 * 85 * graph.num_edges
    require_memory(max(scaling, comparing), f"to precompute {graph.name}", "do it on disk with `precompute`")


def neighbour_similarity(graph: Graph, x: Features, config: LSGNNConfig) -> NeighbourSimilarity:
    """Similarities over the neighbourhood that LocalSim reads (by default the one that propagation reads)."""
    neighbours = localsim_neighbours(graph, config)
    if config.localsim_space == "predictions":
        return NeighbourSimilarity.unknown(neighbours)
    compared = localsim_features(x, neighbours, config)
    similarity = edge_similarity(compared, pairs_of(neighbours), config.similarity, config.euclid_sign)
    return NeighbourSimilarity.of(neighbours, similarity)


def localsim_features(x: Features, neighbours: sp.csr_array, config: LSGNNConfig) -> Features:
    """The features whose similarities LocalSim reads [n, d]: as they are, or means over a node and its neighbours."""
    if config.localsim_space != "propagated":
        return x
    return sparse_if_mostly_zero(smoothing_matrix(neighbours) @ x)


def localsim_neighbours(graph: Graph, config: LSGNNConfig) -> sp.csr_array:
    """A [n, n] of the neighbours that LocalSim compares a node with."""
    return adjacency(graph, config.similarity_direction, self_loops=config.localsim_self_loops)


def mixing(config: LSGNNConfig) -> NDArray[np.float64]:
    """Coefficients of Â^s X in hop k of the low- and the high-pass channel [2, K, K+1]."""
    return mixing_matrix(config.propagation, config.K, config.gamma, filter_pair(config.filter, config.beta))


def channels(pre: Precomputed, config: LSGNNConfig, rows: NDArray[np.integer] | None = None) -> NDArray[np.float32]:
    """The propagated features [2K+1, n, d]: X, then low-pass hops 1 … K, then high-pass hops 1 … K; or `rows` of them.
    Of two directions, the hops of either follow upon each other in both parts [4K+1, n, d].

    Column blocks are independent of each other (Â^k X[:, c] needs only column c), so the work goes block by block and
    holds the K+1 powers of a block besides the result. Up to K = 16 one product per hop serves both channels.
    """
    n, d = pre.x.shape
    chosen = np.asarray(np.arange(n) if rows is None else rows, dtype=np.int64)
    require_memory(stack_bytes(config, n, d, len(chosen)), f"a stack of {n} × {d} features with K={config.K}", LOWER_K)
    out = np.empty((2 * config.num_hops + 1, len(chosen), d), dtype=np.float32)
    width = _block_width(n)
    fill = _fill_by_basis if config.K <= MAX_BASIS_K else _fill_by_recurrence
    for start in range(0, d, width):
        columns = slice(start, min(start + width, d))
        block = sp.csr_array(pre.x)[:, columns].toarray() if sp.issparse(pre.x) else pre.x[:, columns]
        for way, adj in enumerate(pre.filters):
            fill(out, start, np.asarray(block, dtype=np.float32), chosen, adj, config, way)
    return out


def stack_bytes(config: LSGNNConfig, n: int, d: int, rows: int | None = None) -> int:
    """What `channels` takes: the stack itself and, where it is filled by recurrence, the hops of a block of columns."""
    width = min(d, _block_width(n))
    hops = config.K if config.K > MAX_BASIS_K else config.K + 1
    return 4 * ((2 * config.num_hops + 1) * (n if rows is None else rows) * d + hops * n * width)


def channel_places(config: LSGNNConfig, way: int) -> NDArray[np.int64]:
    """Numbers of the channels of one direction among all: its low-pass hops, its high-pass hops [2K]."""
    hops = np.arange(way * config.K, (way + 1) * config.K)
    return np.concatenate([1 + hops, 1 + config.num_hops + hops])


def _block_width(n: int) -> int:
    return max(NARROWEST_BLOCK, CACHE_BYTES // (4 * n))


def _fill_by_basis(
    out: NDArray[np.float32],
    start: int,
    x: NDArray[np.float32],
    rows: NDArray[np.int64],
    adj: sp.csr_array,
    config: LSGNNConfig,
    way: int,
) -> None:
    """Columns of out [2K+1, b, d] from `start` on, from x [n, c]; the channels of one direction, X with the first.

    Each power Â^s X is computed once and serves every hop that holds it.
    """
    from lsgnn.propagate.power_kernels import mix_powers, next_power  # here, because Numba takes a while to import

    K, places = config.K, channel_places(config, way)
    basis = aligned(K + 1, *x.shape)
    basis[0] = x
    for s in range(K):
        next_power(adj.indptr, adj.indices, adj.data, basis[s], basis[s + 1])
    coefficients = mixing(config).reshape(2 * K, K + 1)
    if way == 0:
        coefficients, places = np.concatenate([np.eye(1, K + 1), coefficients]), np.concatenate([[0], places])
    mix_powers(basis, rows, coefficients.astype(np.float32), places, out, start)


def _fill_by_recurrence(
    out: NDArray[np.float32],
    start: int,
    x: NDArray[np.float32],
    rows: NDArray[np.int64],
    adj: sp.csr_array,
    config: LSGNNConfig,
    way: int,
) -> None:
    """The same by the rule itself, for depths at which the power basis would lose digits."""
    columns = slice(start, start + x.shape[1])
    out[0, :, columns] = x[rows]
    for channel, (a, b) in enumerate(filter_pair(config.filter, config.beta)):

        def S(H: NDArray[np.float32], a: float = a, b: float = b) -> NDArray[np.float32]:
            return np.asarray(np.float32(a) * H + np.float32(b) * (adj @ H))

        places = channel_places(config, way)[channel * config.K :]
        for place, hop in zip(places, propagate(config.propagation, S, x, config.K, config.gamma), strict=False):
            out[place, :, columns] = hop[rows]
