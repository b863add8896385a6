r"""Prediction from a store without hops: multiply first, then propagate.

A model's first layer reads :math:`H_c W_c = \sum_s a_{cs} \hat A^s X W_c`, and :math:`X W_c` has z columns where X has
d. So the products are propagated, hop by hop as far as channel c goes, and no hop of X is ever needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.out_of_core.layout import hop
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.tasks import propagated
from lsgnn.propagate.precompute import mixing

Reduced: TypeAlias = NDArray[np.float32]  # H_c W_c of every node [n, 2K+1, z]
AT_ONCE = 1 << 14  # rows that are multiplied together


@dataclass(frozen=True)
class ReducedChannels:
    """Channels of which a model's first products are known [2K+1, b, z]."""

    products: Tensor

    @classmethod
    def of(cls, reduced: Reduced) -> ReducedChannels:
        return cls(torch.from_numpy(reduced.transpose(1, 0, 2).copy()))

    def project(self, weight: Tensor) -> Tensor:
        return self.products

    def select(self, index: Tensor) -> ReducedChannels:
        return ReducedChannels(self.products[:, index])

    def to(self, device: torch.device | str) -> ReducedChannels:
        return ReducedChannels(self.products.to(device))


def channel_mixing(config: LSGNNConfig) -> NDArray[np.float32]:
    """How the channels (X, low-pass hops, high-pass hops) are mixed from powers Â^s X [2K+1, K+1]."""
    K = config.K
    return np.concatenate([np.eye(1, K + 1), mixing(config).reshape(2 * K, K + 1)]).astype(np.float32)


def reduced_features(store: Store, config: LSGNNConfig, weight: NDArray[np.float32], folder: Path) -> Reduced:
    """The first products of a model with these weights [2K+1, d, z], for every node, memory-mapped from a file.

    Args:
        folder: where the file lies, without a name: it vanishes with the array, or with the process.
    """
    K, n = config.K, store.num_nodes
    with TemporaryFile(dir=folder) as file:
        out = np.memmap(file, np.float32, mode="w+", shape=(n, 2 * K + 1, weight.shape[2]))
    most = max(1, store.manifest.memory // (3 * 4 * n))  # columns of three buffers
    coefficients = channel_mixing(config)
    for hops in range(K + 1):
        channels = [0] if hops == 0 else [hops, K + hops]  # they end at the same power
        for columns in _groups(channels, weight.shape[2], most):
            chosen = np.stack([weight[c, :, j] for c, j in columns], axis=1)  # [d, width]
            mixed = np.stack([coefficients[c, : hops + 1] for c, _ in columns], axis=1)  # [hops+1, width]
            total = _propagated_sum(store, chosen, mixed)
            for c in channels:
                places = [place for place, column in enumerate(columns) if column[0] == c]
                if places:
                    first, last = columns[places[0]][1], columns[places[-1]][1]
                    out[:, c, first : last + 1] = total[:, places[0] : places[-1] + 1]
    return out


def _groups(channels: list[int], z: int, most: int) -> Iterator[list[tuple[int, int]]]:
    """The (channel, column) of some channels, at most so many at a time."""
    columns = [(c, j) for c in channels for j in range(z)]
    yield from (columns[start : start + most] for start in range(0, len(columns), most))


def _propagated_sum(
    store: Store, weight: NDArray[np.float32], coefficients: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Σ_s coefficients[s] · Â^s X weight, column by column: weight [d, width], coefficients [hops+1, width]."""
    product = np.zeros((store.num_nodes, weight.shape[1]), np.float32)
    for block, (first, last) in enumerate(store.manifest.blocks):
        x, part = store.array(hop(0, block)), np.ascontiguousarray(weight[first:last])
        for start in range(0, len(x), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            product[rows] += x[rows].astype(np.float32, copy=False) @ part
    total: NDArray[np.float32] = coefficients[0] * product
    for s, power in propagated(store, product, len(coefficients) - 1):
        for start in range(0, len(total), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            total[rows] += coefficients[s] * power[rows]
    return total
