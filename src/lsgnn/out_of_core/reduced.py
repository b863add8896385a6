r"""Prediction from a store without hops: multiply first, then propagate.

A model's first layer reads :math:`H_c W_c = \sum_s a_{cs} \hat A^s X W_c`, and :math:`X W_c` has z columns where X has
d. So the products are propagated, hop by hop as far as channel c goes, and no hop of X is ever needed. By Horner's rule
(`lsgnn.nn.horner`) two buffers are enough for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.out_of_core.columns import LINE
from lsgnn.out_of_core.layout import hop
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.tasks import filter_of
from lsgnn.out_of_core.threads import over_rows
from lsgnn.propagate.aligned import aligned
from lsgnn.propagate.power_kernels import next_sum
from lsgnn.propagate.precompute import mixing

Reduced: TypeAlias = NDArray[np.float32]  # H_c W_c of every node [n, 2K+1, z], channels in the order of `_by_hops`
AT_ONCE = 1 << 12  # rows that are multiplied together


@dataclass(frozen=True)
class ReducedChannels:
    """Channels of which a model's first products are known [2K+1, b, z]."""

    products: Tensor

    @classmethod
    def of(cls, reduced: Reduced) -> ReducedChannels:
        """From some rows of `reduced_features` [b, 2K+1, z]."""
        order = np.argsort(_by_hops(reduced.shape[1] // 2))
        return cls(torch.from_numpy(reduced[:, order].transpose(1, 0, 2).copy()))

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


def reduced_features(
    store: Store, config: LSGNNConfig, weight: NDArray[np.float32], folder: Path, threads: int = 1
) -> Reduced:
    """The first products of a model with these weights [2K+1, d, z], for every node, memory-mapped from a file.

    Args:
        folder: where the file lies, without a name: it vanishes with the array, or with the process.
    """
    K, n, z = config.K, store.num_nodes, weight.shape[2]
    with TemporaryFile(dir=folder) as file:
        out = np.asarray(np.memmap(file, np.float32, mode="w+", shape=(n, (2 * K + 1) * z)))
    channels = _by_hops(K)
    _multiply(store, weight[channels].transpose(1, 0, 2).reshape(-1, (2 * K + 1) * z), out)
    coefficients = np.repeat(channel_mixing(config)[channels].T, z, axis=1)  # [K+1, (2K+1)·z]
    most = max(1, store.manifest.memory // (2 * 4 * n))  # columns of two buffers
    most = most // LINE * LINE or most  # in whole lines of the processor's cache, if there is room for one
    for hops in range(1, K + 1):
        stop = (2 * hops + 1) * z
        for start in range(stop - 2 * z, stop, most):
            columns = slice(start, min(start + most, stop))
            _propagate(store, out, columns, coefficients[: hops + 1, columns], threads)
    return out.reshape(n, 2 * K + 1, z)


def _by_hops(K: int) -> list[int]:
    """The channels X, low 1, high 1, low 2, …: those that end at the same power side by side."""
    return [0, *(channel for k in range(1, K + 1) for channel in (k, K + k))]


def _multiply(store: Store, weight: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """out = X weight."""
    blocks = [(store.array(hop(0, block)), slice(*ends)) for block, ends in enumerate(store.manifest.blocks)]
    x = np.empty((AT_ONCE, len(weight)), np.float32)
    for start in range(0, len(out), AT_ONCE):
        product = out[start : start + AT_ONCE]
        for values, columns in blocks:
            x[: len(product), columns] = values[start : start + AT_ONCE]
        np.matmul(x[: len(product)], weight, out=product)


def _propagate(
    store: Store, x: NDArray[np.float32], columns: slice, coefficients: NDArray[np.float32], threads: int
) -> None:
    """x = Σ_s coefficients[s] · Â^s x at some columns: x [n, all], coefficients [hops+1, width]."""
    indptr, indices, values = filter_of(store)
    power, other = (aligned(len(x), columns.stop - columns.start) for _ in range(2))
    np.multiply(x[:, columns], coefficients[-1], out=power)
    for factors in coefficients[-2::-1]:

        def multiply(
            rows: slice,
            factors: NDArray[np.float32] = factors,
            power: NDArray[np.float32] = power,
            other: NDArray[np.float32] = other,
        ) -> None:
            ends = indptr[rows.start : rows.stop + 1]
            next_sum(ends, indices, values, power, factors, x[rows], columns.start, other[rows])

        over_rows(indptr, threads, multiply)
        power, other = other, power
    x[:, columns] = power
