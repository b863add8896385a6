"""A large graph passes through a model part by part: what the layers hold is then small beside what they read.

Nor is all held that they read: LSGNN's 2K+1 channels are sums of the K+1 powers :math:`\\hat A^s X`, so that the powers
are kept and the channels of a part made when its turn comes. Of the similarities, too, a part sees its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.memory import LOWER_K, require_memory
from lsgnn.nn.rows import DenseChannels, Neighbours, Rows, prefers_dense
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.aligned import aligned
from lsgnn.propagate.irdc import MAX_BASIS_K
from lsgnn.propagate.precompute import Precomputed, channel_places, mixing
from lsgnn.propagate.similarity import NeighbourSimilarity

ROWS_AT_ONCE = 1 << 17  # with all similarities at hand, which are looked at anew for each part
FEW_ROWS = 1 << 14  # with their own similarities


@dataclass(frozen=True, eq=False)
class LargeRows:
    """What LSGNN reads of all nodes of a large graph, to be had part by part.

    Args:
        powers: Â^s X [n, d] for s = 0 … K, of each direction that is read.
        similarity: similarities of each node to its neighbours.
    """

    powers: tuple[tuple[NDArray[np.float32], ...], ...]
    similarity: NeighbourSimilarity
    config: LSGNNConfig

    @classmethod
    def of(cls, pre: Precomputed, config: LSGNNConfig) -> LargeRows:
        n, d = pre.x.shape
        what = f"{config.num_hops} powers of {n} × {d} features"
        require_memory(4 * (config.num_hops + 1) * n * d, what, LOWER_K)
        x = np.ascontiguousarray(sp.csr_array(pre.x).toarray() if sp.issparse(pre.x) else pre.x, dtype=np.float32)
        return cls(tuple(_powers(adj, x, config.K) for adj in pre.filters), pre.similarity, config)

    @property
    def num_nodes(self) -> int:
        return len(self.powers[0][0])

    def rows(self, start: int, stop: int) -> Rows:
        """Model inputs of the nodes from `start` to before `stop`."""
        nodes = np.arange(start, stop)
        return Rows(DenseChannels(torch.from_numpy(self._channels(nodes))), _neighbours(self.similarity, nodes))

    def answers(self, model: Callable[[Rows], NDArray[np.float32]], at_once: int = FEW_ROWS) -> NDArray[np.float32]:
        """What a model says of all nodes [n, C]; in one array from the start, because memory does not return to the
        system in pieces between small ones that stay."""
        out: NDArray[np.float32] | None = None
        for start in range(0, self.num_nodes, at_once):
            stop = min(start + at_once, self.num_nodes)
            said = model(self.rows(start, stop))
            if out is None:
                out = np.empty((self.num_nodes, said.shape[1]), dtype=np.float32)
            out[start:stop] = said
        assert out is not None
        return out

    def _channels(self, nodes: NDArray[np.int64]) -> NDArray[np.float32]:
        """`lsgnn.propagate.precompute.channels` of some nodes, added up in the same order [2K+1, b, d]."""
        from lsgnn.propagate.power_kernels import add_multiples  # here, because Numba takes a while to import

        K, d = self.config.K, self.powers[0][0].shape[1]
        out = np.zeros((2 * self.config.num_hops + 1, len(nodes), d), dtype=np.float32)
        for way, powers in enumerate(self.powers):
            coefficients = np.zeros((K + 1, len(out)), dtype=np.float32)
            coefficients[0, 0] = way == 0
            coefficients[:, channel_places(self.config, way)] = mixing(self.config).reshape(2 * K, K + 1).T
            for power, row in zip(powers, coefficients, strict=True):
                add_multiples(power, nodes, row, out, 0)
        return out


def large_rows(inputs: Any, config: Any, large: int = ROWS_AT_ONCE) -> LargeRows | None:
    """For what LSGNN has prepared of a large graph, if a row of it needs no other rows and nothing kept of its node."""
    parted = (
        isinstance(inputs, Precomputed)
        and inputs.num_nodes > large
        and config.K <= MAX_BASIS_K
        and not (config.tied_to_graph or config.localsim_hops)
        and prefers_dense(inputs, config)
    )
    return LargeRows.of(inputs, config) if parted else None


def parts_of(readable: Any, rows_at_once: int = ROWS_AT_ONCE) -> Iterator[Any]:
    """What a model reads, in parts where these are rows of all nodes with their channels at hand; else whole."""
    if not (isinstance(readable, Rows) and isinstance(readable.channels, DenseChannels) and readable.index is None):
        yield readable
        return
    n = readable.channels.stack.shape[1]
    if n <= rows_at_once:
        yield readable
        return
    for start in range(0, n, rows_at_once):
        yield readable.select(torch.arange(start, min(start + rows_at_once, n)))


def _powers(adj: sp.csr_array, x: NDArray[np.float32], K: int) -> tuple[NDArray[np.float32], ...]:
    from lsgnn.propagate.power_kernels import next_power

    found = [x]
    for _ in range(K):
        found.append(aligned(*x.shape))
        next_power(adj.indptr, adj.indices, adj.data, found[-2], found[-1])
    return tuple(found)


def _neighbours(similarity: NeighbourSimilarity, nodes: NDArray[np.int64]) -> Neighbours:
    """Of some nodes [b]: the distinct similarities among theirs, and their shares of these."""
    share = sp.csr_array(similarity.share[nodes[0] : nodes[-1] + 1])
    known, which = np.unique(share.indices, return_inverse=True)
    own = sp.csr_array((share.data, which, share.indptr), shape=(len(nodes), len(known)))
    log_degree = torch.from_numpy(similarity.log_degree[nodes])
    return Neighbours(torch.from_numpy(similarity.values[known]), SparseMatrix.of(own), log_degree)
