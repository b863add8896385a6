"""New nodes read their neighbours' partial sums, which do not change: the cost is that of their own edges.

`lsgnn.nn.attached_rows` walks the graph from the neighbours of new nodes. Whoever is asked again and again, such as a
server, keeps the partial sums of all nodes instead (see `lsgnn.nn.horner`): K(K+1)·z numbers per node and member.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Features
from lsgnn.nn.horner import by_horner
from lsgnn.nn.sparse import SparseMatrix, product
from lsgnn.propagate.precompute import Precomputed, mixing

VALUES_AT_ONCE = 1 << 22
Sums = NDArray[np.float32]  # [n, K(K+1)·z]: T^(K), …, T^(1) side by side


def sums_per_node(config: LSGNNConfig, weight: Tensor) -> int:
    """How many numbers are kept of each node."""
    return config.K * (config.K + 1) * weight.shape[2]


@torch.no_grad()
def known_sums(pre: Precomputed, config: LSGNNConfig, weight: Tensor) -> Sums:
    """The partial sums of all nodes of a graph, for one member's first matrices [2K+1, d, z]."""
    n, (blocks, d, z) = pre.num_nodes, weight.shape
    x = SparseMatrix.of(pre.x) if sp.issparse(pre.x) else torch.from_numpy(np.asarray(pre.x, np.float32))
    reduced = x @ weight.detach().transpose(0, 1).reshape(d, blocks * z)
    adj = SparseMatrix.of(pre.adj).forward
    out = np.empty((n, sums_per_node(config, weight)), np.float32)

    def move(total: Tensor) -> Tensor:
        sums = total.reshape(n, -1)
        out[:, _place(total)] = sums.numpy()
        return product(adj, sums)

    by_horner(reduced.view(n, blocks, z), torch.from_numpy(mixing(config)).float(), move)
    return out


def _place(total: Tensor) -> slice:
    """Where the partial sums [n, 2, hops, z] of the last hops are kept, after those of fewer hops."""
    hops, z = total.shape[2:]
    return slice(hops * (hops - 1) * z, hops * (hops + 1) * z)


@dataclass(frozen=True, eq=False)
class AttachedChannels:
    """The channels of m new nodes.

    Args:
        x: scaled features of the new nodes [m, d].
        adj: Â [m, p+m], what they read: p known neighbours, then one another.
        near: the partial sums of the known neighbours [p, K(K+1)·z], for the member whose `project` is called.
        mixing: M [2, K, K+1].
        sums: filled by `project`: the partial sums of the new nodes, T^(K) first.
    """

    x: Features
    adj: sp.csr_array
    near: Sums
    mixing: Tensor
    sums: list[Sums] = field(default_factory=list)

    def project(self, weight: Tensor) -> Tensor:
        m, p = self.adj.shape[0], self.near.shape[0]
        read = torch.from_numpy(self.adj[:, :p] @ self.near)  # [m, K(K+1)·z], in one product
        each_other = self.adj[:, p:]

        def move(total: Tensor) -> Tensor:
            own = total.reshape(m, -1).numpy()
            self.sums.append(own)
            moved = read[:, _place(total)]
            return moved + torch.from_numpy(each_other @ own) if each_other.nnz else moved.contiguous()

        return by_horner(self._reduced(weight), self.mixing, move).transpose(0, 1)

    def _reduced(self, weight: Tensor) -> Tensor:
        """X W_c [m, 2K+1, z]; a few rows at a time are made dense, because the matrices would be copied otherwise."""
        x: Any = self.x
        step = max(1, VALUES_AT_ONCE // x.shape[1])
        parts = (x[start : start + step] for start in range(0, x.shape[0], step))
        dense = (part.toarray() if sp.issparse(part) else part for part in parts)
        return torch.cat([torch.from_numpy(part) @ weight for part in dense], dim=1).transpose(0, 1)

    def select(self, index: Tensor) -> AttachedChannels:
        raise NotImplementedError("new nodes are computed together")

    def to(self, device: torch.device | str) -> AttachedChannels:
        raise NotImplementedError("new nodes are computed where they arrive, on the CPU")
