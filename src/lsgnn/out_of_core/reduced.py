r"""Prediction from a store without hops: multiply first, then propagate.

A model's first layer reads :math:`H_c W_c = \sum_s a_{cs} \hat A^s X W_c`, and :math:`X W_c` has z columns where X has
d. So the products are propagated, hop by hop as far as channel c goes, and no hop of X is ever needed. By Horner's rule
(`lsgnn.nn.horner`) two buffers are enough for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

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

AT_ONCE = 1 << 12  # rows that are multiplied together


@dataclass(frozen=True)
class ReducedChannels:
    """Channels of which a model's first products are known [2K+1, b, z]."""

    products: Tensor

    def project(self, weight: Tensor) -> Tensor:
        return self.products

    def select(self, index: Tensor) -> ReducedChannels:
        return ReducedChannels(self.products[:, index])

    def to(self, device: torch.device | str) -> ReducedChannels:
        return ReducedChannels(self.products.to(device))


@dataclass(frozen=True)
class Reduced:
    """A model's first products H_c W_c of every node, hop by hop.

    Args:
        hops: X itself [n, z], then both channels of each hop [n, 2z]. Each is a file of its own, so that work on a hop
            reads no page of another.
    """

    hops: tuple[NDArray[np.float32], ...]

    def rows(self, start: int, stop: int) -> ReducedChannels:
        """Those of the nodes start … stop-1, channels in the model's order: X, low-pass hops, high-pass hops."""
        z = self.hops[0].shape[1]
        own, *hops = (hop[start:stop] for hop in self.hops)
        channels = [own, *(hop[:, :z] for hop in hops), *(hop[:, z:] for hop in hops)]
        return ReducedChannels(torch.from_numpy(np.stack(channels)))


def channel_mixing(config: LSGNNConfig) -> NDArray[np.float32]:
    """How the channels (X, low-pass hops, high-pass hops) are mixed from powers Â^s X [2K+1, K+1]."""
    K = config.K
    return np.concatenate([np.eye(1, K + 1), mixing(config).reshape(2 * K, K + 1)]).astype(np.float32)


def reduced_features(
    store: Store, config: LSGNNConfig, weight: NDArray[np.float32], folder: Path, threads: int = 1
) -> Reduced:
    """The first products of a model with these weights [2K+1, d, z], for every node, memory-mapped from files.

    Args:
        folder: where the files lie, without names: they vanish with the arrays, or with the process.
    """
    K, n, z = config.K, store.num_nodes, weight.shape[2]
    groups = [[0], *([k, K + k] for k in range(1, K + 1))]  # the channels that end at each power
    hops = [_unnamed(folder, n, len(group) * z) for group in groups]
    _multiply(store, [weight[group].transpose(1, 0, 2).reshape(-1, len(group) * z) for group in groups], hops)
    most = max(1, store.manifest.memory // (2 * 4 * n))  # columns of two buffers
    most = most // LINE * LINE or most  # in whole lines of the processor's cache, if there is room for one
    mixed = channel_mixing(config)
    for k, (products, group) in enumerate(zip(hops, groups, strict=True)):
        coefficients = np.repeat(mixed[group, : k + 1].T, z, axis=1)  # [k+1, 2z]
        for start in range(0, 2 * z if k else 0, most):
            columns = slice(start, min(start + most, 2 * z))
            _propagate(store, products, columns, coefficients[:, columns], threads)
    return Reduced(tuple(hops))


def _unnamed(folder: Path, rows: int, columns: int) -> NDArray[np.float32]:
    with TemporaryFile(dir=folder) as file:
        return np.asarray(np.memmap(file, np.float32, mode="w+", shape=(rows, columns)))


def _multiply(store: Store, weights: Sequence[NDArray[np.float32]], outs: Sequence[NDArray[np.float32]]) -> None:
    """Each out = X weight, in one pass over X."""
    blocks = [(store.array(hop(0, block)), slice(*ends)) for block, ends in enumerate(store.manifest.blocks)]
    together = np.concatenate(weights, axis=1)
    ends = np.cumsum([weight.shape[1] for weight in weights])[:-1]
    x, product = (np.empty((AT_ONCE, columns), np.float32) for columns in together.shape)
    for start in range(0, store.num_nodes, AT_ONCE):
        rows = slice(start, min(start + AT_ONCE, store.num_nodes))
        count = rows.stop - start
        for values, columns in blocks:
            x[:count, columns] = values[rows]
        np.matmul(x[:count], together, out=product[:count])
        for out, part in zip(outs, np.split(product[:count], ends, axis=1), strict=True):
            out[rows] = part


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
