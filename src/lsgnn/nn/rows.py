"""`Rows`: what the model reads. After propagation a node is a row: its channels and its neighbours' similarities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import scipy.sparse as sp
import torch
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.memory import LOWER_EITHER, LOWER_K, require_memory
from lsgnn.nn.horner import by_horner
from lsgnn.nn.size import largest_settings, num_activations
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.irdc import MAX_BASIS_K
from lsgnn.propagate.precompute import Precomputed, channels, mixing, stack_bytes
from lsgnn.propagate.similarity import NeighbourSimilarity

DENSE_ADVANTAGE = 12.0  # dense products run about this many times more operations a second than sparse ones


class Channels(Protocol):
    """The 2K+1 propagated feature matrices H_c [n, d] of a graph, in whatever form is cheapest to multiply."""

    def project(self, weight: Tensor) -> Tensor:
        """H_c @ weight_c for each channel, at the selected rows: [2K+1, d, z] → [2K+1, b, z]."""

    def select(self, index: Tensor) -> Channels:
        """The same channels, some rows only."""

    def to(self, device: torch.device | str) -> Channels: ...


@dataclass(frozen=True)
class DenseChannels:
    """The channels themselves [2K+1, n, d]: best for dense or low-dimensional features."""

    stack: Tensor

    def project(self, weight: Tensor) -> Tensor:
        return self.stack @ weight

    def select(self, index: Tensor) -> DenseChannels:
        return DenseChannels(self.stack[:, index])

    def to(self, device: torch.device | str) -> DenseChannels:
        return DenseChannels(self.stack.to(device))


@dataclass(frozen=True)
class NarrowChannels:
    r"""Never forms the channels: :math:`(\hat A^s X) W = \hat A^s (X W)`, and XW has only z columns.

    Best for sparse features; see `lsgnn.nn.horner`.
    """

    x: SparseMatrix  # [n, d]
    filters: tuple[SparseMatrix, ...]  # Â [n, n] of each direction
    mixing: Tensor  # [2, K, K+1]
    index: Tensor | None = None  # rows to hand out: propagation needs all of them, but the model need not

    def project(self, weight: Tensor) -> Tensor:
        (blocks, d, z), n = weight.shape, self.x.shape[0]
        narrow = self.x @ weight.transpose(0, 1).reshape(d, blocks * z)  # [n, (2K+1)·z]
        first, hops = narrow[:, :z].unsqueeze(1), narrow[:, z:].view(n, 2, len(self.filters), -1, z)
        moved = []
        for way, adj in enumerate(self.filters):
            channels = torch.cat([first, hops[:, :, way].flatten(1, 2)], dim=1)  # [n, 2K+1, z]
            out = by_horner(channels, self.mixing, lambda total, adj=adj: adj @ total.reshape(n, -1))  # type: ignore[misc]
            moved.append(out[:, 1:].view(n, 2, -1, z))
        out = torch.cat([first, torch.cat(moved, dim=2).flatten(1, 2)], dim=1)
        return (out if self.index is None else out[self.index]).transpose(0, 1)

    def select(self, index: Tensor) -> NarrowChannels:
        return replace(self, index=index)

    def to(self, device: torch.device | str) -> NarrowChannels:
        index = None if self.index is None else self.index.to(device)
        filters = tuple(adj.to(device) for adj in self.filters)
        return NarrowChannels(self.x.to(device), filters, self.mixing.to(device), index)


@dataclass(frozen=True)
class Neighbours:
    """Torch form of `NeighbourSimilarity`: distinct similarities [U], each node's share of them [n, U], log degree [n].

    `smoothing` [n, n] averages over a node and its neighbours.
    """

    values: Tensor
    share: SparseMatrix
    log_degree: Tensor
    smoothing: SparseMatrix | None = None

    @classmethod
    def of(cls, similarity: NeighbourSimilarity, smoothing: sp.csr_array | None = None) -> Neighbours:
        return cls(
            torch.from_numpy(similarity.values),
            SparseMatrix.of(similarity.share),
            torch.from_numpy(similarity.log_degree),
            None if smoothing is None else SparseMatrix.of(smoothing),
        )

    def mean(self, function_of_values: Tensor) -> Tensor:
        """Mean over each node's neighbours of a function given at the distinct similarities: [U] → [n]."""
        return (self.share @ function_of_values.unsqueeze(-1)).squeeze(-1)

    def smoothed(self, phi: Tensor) -> Tensor:
        """Mean over each node and its neighbours of a number of every node: [n] → [n]."""
        if self.smoothing is None:
            raise InputError("the rows hold nothing to smooth LocalSim with: precompute them with localsim_hops")
        return (self.smoothing @ phi.unsqueeze(-1)).squeeze(-1)

    def to(self, device: torch.device | str) -> Neighbours:
        smoothing = None if self.smoothing is None else self.smoothing.to(device)
        return Neighbours(self.values.to(device), self.share.to(device), self.log_degree.to(device), smoothing)


@dataclass(frozen=True)
class Rows:
    """Model inputs of the nodes `index` (None: of all nodes)."""

    channels: Channels
    neighbours: Neighbours
    links: SparseMatrix | None = None
    index: Tensor | None = None

    def select(self, index: Tensor) -> Rows:
        """The same inputs for some of all nodes."""
        return replace(self, channels=self.channels.select(index), index=index)

    def pick(self, per_node: Tensor) -> Tensor:
        """The entries of a per-node tensor [n, …] that belong to these rows."""
        return per_node if self.index is None else per_node[self.index]

    def to(self, device: torch.device | str) -> Rows:
        links = None if self.links is None else self.links.to(device)
        index = None if self.index is None else self.index.to(device)
        return Rows(self.channels.to(device), self.neighbours.to(device), links, index)


def make_rows(pre: Precomputed, config: LSGNNConfig, dense: bool | None = None) -> Rows:
    """Model inputs of all nodes; `dense` forces (True) or forbids (False) forming the propagated features."""
    if dense is None:
        dense = prefers_dense(pre, config)
    require_memory_for_rows(pre, config, dense)
    matrices: Channels
    if dense:
        matrices = DenseChannels(torch.from_numpy(channels(pre, config)))
    else:
        x, filters = SparseMatrix.of(sp.csr_array(pre.x)), tuple(map(SparseMatrix.of, pre.filters))
        matrices = NarrowChannels(x, filters, torch.from_numpy(mixing(config)).float())
    links = None if pre.links is None else SparseMatrix.of(pre.links)
    return Rows(matrices, Neighbours.of(pre.similarity, pre.smoothing), links)


def require_memory_for_rows(pre: Precomputed, config: LSGNNConfig, dense: bool | None = None) -> None:
    """Raises if all nodes cannot pass through the model: better before it is trained than after."""
    n, d = pre.x.shape
    dense = prefers_dense(pre, config) if dense is None else dense
    stack = stack_bytes(config, n, d) if dense else 0
    hidden = 4 * num_activations(config, n, len(pre.similarity.values))
    what, fix = f"a model with {largest_settings(config)} on {n} nodes", LOWER_K if stack > hidden else LOWER_EITHER
    require_memory(stack + hidden, what, fix)


def prefers_dense(pre: Precomputed, config: LSGNNConfig) -> bool:
    """The cheaper form, counting multiplications per hidden unit; deep stacks need the recurrence, which is dense."""
    if config.K > MAX_BASIS_K:
        return True
    K, (n, d) = config.K, pre.x.shape
    stored = sp.csr_array(pre.x).nnz if sp.issparse(pre.x) else n * d
    blocks = 2 * config.num_hops + 1
    narrow = blocks * stored + K * (K + 1) * sum(adj.nnz for adj in pre.filters)
    return bool(blocks * n * d / DENSE_ADVANTAGE < narrow)
