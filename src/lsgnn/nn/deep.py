r"""Channels for many hops (K > 16), where the power basis loses digits and the whole stack would not fit in memory.

Both classes follow the two-term recurrence :math:`H^{(k+1)} = T H^{(k)}`, :math:`T = I - \gamma S`, from
:math:`H^{(2)} = (1-\gamma) S X - \gamma S^2 X` on, which is as exact in float32 as the definition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.nn.rows import Channels, DenseChannels, Neighbours, Rows
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.filters import filter_pair
from lsgnn.propagate.irdc import irdc_two_term
from lsgnn.propagate.precompute import CACHE_BYTES, Precomputed

LARGEST_STACK = 8 << 30  # bytes of the channels of all rows; training holds those it trains and validates on


def deep_rows(pre: Precomputed, config: LSGNNConfig, narrow: bool | None = None) -> Rows:
    """Model inputs of all nodes for any K; unless `narrow` says which, streamed as long as the stack fits in memory.

    Streaming is several times quicker: the narrow form moves K²·z columns over the graph in every step.
    """
    if config.propagation != "irdc":
        raise InputError(f"propagation={config.propagation!r} has no deep form: use 'irdc', or K up to 16")
    if pre.back is not None:
        raise InputError("direction='both' has no deep form: name one direction, or K up to 16")
    if narrow is None:
        n, d = pre.x.shape
        narrow = (2 * config.K + 1) * n * d * 4 > LARGEST_STACK
    channels = RecurrenceChannels.of(pre, config) if narrow else StreamedChannels(pre, config)
    links = None if pre.links is None else SparseMatrix.of(pre.links)
    return Rows(channels, Neighbours.of(pre.similarity, pre.smoothing), links)


@dataclass(frozen=True)
class RecurrenceChannels:
    r"""Never forms the channels: every hop's :math:`X W_k` has z columns, and T is applied to all later hops at once.

    Needs no more memory than a few [n, 2K·z] blocks. Going down from hop K, hop k joins those that T has yet to move:
    k − 2 times in all.
    """

    x: SparseMatrix  # [n, d]
    adj: SparseMatrix  # [n, n]
    low: tuple[float, float]  # S = a I + b Â of the low-pass filter
    high: tuple[float, float]
    K: int
    gamma: float
    index: Tensor | None = None  # rows to hand out: propagation needs all of them, but the model need not

    @classmethod
    def of(cls, pre: Precomputed, config: LSGNNConfig) -> RecurrenceChannels:
        low, high = filter_pair(config.filter, config.beta)
        x, adj = SparseMatrix.of(sp.csr_array(pre.x)), SparseMatrix.of(pre.adj)
        return cls(x, adj, (low.a, low.b), (high.a, high.b), config.K, config.gamma)

    def project(self, weight: Tensor) -> Tensor:
        K, (blocks, d, z), n = self.K, weight.shape, self.x.shape[0]
        every = (self.x @ weight.transpose(0, 1).reshape(d, blocks * z)).view(n, blocks, z)
        hops = every[:, 1:].view(n, 2, K, z)
        total = hops[:, :, K:]  # hops on their way: none yet
        for k in range(K, 2, -1):
            total = torch.cat([hops[:, :, k - 1 : k], total], dim=2)
            total = total - self.gamma * self._filtered(total)
        if K > 1:
            total = self._filtered(torch.cat([hops[:, :, 1:2], total], dim=2))
            total = (1 - self.gamma) * total - self.gamma * self._filtered(total)
        first = self._filtered(hops[:, :, :1])
        out = torch.cat([every[:, :1], torch.cat([first, total], dim=2).reshape(n, 2 * K, z)], dim=1)
        return (out if self.index is None else out[self.index]).transpose(0, 1)

    def _filtered(self, blocks: Tensor) -> Tensor:
        """S times blocks [n, 2, k, z], each half with its own filter."""
        a, b = (torch.tensor(c, device=blocks.device).view(2, 1, 1) for c in zip(self.low, self.high, strict=True))
        moved = (self.adj @ blocks.reshape(len(blocks), -1)).view_as(blocks)
        return a * blocks + b * moved

    def select(self, index: Tensor) -> RecurrenceChannels:
        return replace(self, index=index)

    def to(self, device: torch.device | str) -> RecurrenceChannels:
        index = None if self.index is None else self.index.to(device)
        return replace(self, x=self.x.to(device), adj=self.adj.to(device), index=index)


@dataclass(frozen=True)
class StreamedChannels:
    """Forms the channels column block by column block; keeps them only for the rows that a model trains on.

    `select` hands out the stack of some rows; `project` serves all rows, without gradients.
    """

    pre: Precomputed
    config: LSGNNConfig

    @torch.no_grad()
    def project(self, weight: Tensor) -> Tensor:
        out = torch.zeros(len(weight), self.pre.num_nodes, weight.shape[2])
        for columns in self._blocks():
            for c, channel in enumerate(self._channels(columns)):
                out[c] += torch.from_numpy(channel) @ weight[c, columns]
        return out

    def select(self, index: Tensor) -> DenseChannels:
        rows = index.cpu().numpy()
        stack = np.empty((2 * self.config.K + 1, len(rows), self.pre.x.shape[1]), dtype=np.float32)
        for columns in self._blocks():
            for c, channel in enumerate(self._channels(columns)):
                stack[c, :, columns] = channel[rows]
        return DenseChannels(torch.from_numpy(stack))

    def to(self, device: torch.device | str) -> Channels:
        return self  # the rows it hands out can move; the graph stays

    def _blocks(self) -> list[slice]:
        n, d = self.pre.x.shape
        width = max(8, CACHE_BYTES // (4 * n))
        return [slice(start, min(start + width, d)) for start in range(0, d, width)]

    def _channels(self, columns: slice) -> list[NDArray[np.float32]]:
        """X and the hops of both filters, some columns [n, c] each."""
        x: NDArray[np.float32] = (
            sp.csr_array(self.pre.x)[:, columns].toarray() if sp.issparse(self.pre.x) else self.pre.x[:, columns]
        )
        found = [np.ascontiguousarray(x, dtype=np.float32)]
        for a, b in filter_pair(self.config.filter, self.config.beta):

            def S(H: NDArray[np.float32], a: float = a, b: float = b) -> NDArray[np.float32]:
                return np.asarray(np.float32(a) * H + np.float32(b) * (self.pre.adj @ H), dtype=np.float32)

            hops = irdc_two_term(S, found[0], self.config.K, np.float32(self.config.gamma))  # type: ignore[arg-type]
            found += [np.asarray(hop, dtype=np.float32) for hop in hops]
        return found
