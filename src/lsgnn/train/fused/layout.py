"""Where each parameter lies: between the model's `state_dict` and the flat arrays that the kernels work on.

z is padded to a multiple of the vector width with columns of zeros. They stay zero: their gradient is zero, and Adam
and weight decay leave a zero with zero gradient alone. The channels' weights [2K+1, d, z] become [d, 2K+1, z] with the
channels in the order X, low 1, high 1, low 2, …, cut into tiles of columns, each tile contiguous: the kernels work tile
by tile, and low and high of one hop share theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import gcd

import numpy as np
import torch
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.propagate.aligned import aligned
from lsgnn.propagate.precompute import Precomputed
from lsgnn.train.fused.structs import Floats, Small, Weights
from lsgnn.train.fused.vector import BATCH, W8, W16, Width

REDUCE, HEAD, HEAD_BIAS, GRAPH_ALPHA = "reduce.weights.0", "head.weight", "head.bias", "fusion.alpha"
LOCALSIM_MLP, ALPHA_MLP = "fusion.weights.localsim.mlp", "fusion.weights.mlp"
SIMILARITY_SCALE, DEGREE_SCALE = "fusion.weights.localsim.standardized.scale", "fusion.weights.degree.scale"
LINKS, LINKS_NORM = "adjacency.linear", "adjacency.norm"
REDUCE_NORM = "reduce.norms.0"
AVERAGES = (f"{LINKS_NORM}.running_mean", f"{LINKS_NORM}.running_var")


def padded(n: int, multiple: int) -> int:
    return -(-n // multiple) * multiple


def block_order(K: int) -> list[int]:
    """Channel number (X, low 1 … K, high 1 … K) of each block."""
    return [0, *(channel for k in range(1, K + 1) for channel in (k, K + k))]


@dataclass(frozen=True)
class Layout:
    """Sizes of one model."""

    K: int
    hidden_channels: int
    d: int
    C: int
    localsim: bool
    dense: bool  # which reduction the weights are laid out for
    n: int  # nodes that the adjacency embedding knows; 0 without it
    batch_norm: bool = False  # of the reduced columns
    hops: int = 0  # over which φ is averaged
    columns: int = 1  # that α's perceptron reads

    @classmethod
    def of(cls, config: LSGNNConfig, pre: Precomputed, C: int, dense: bool) -> Layout:
        n = pre.num_nodes if config.adjacency_embedding else 0
        d, localsim, batch_norm = pre.x.shape[1], config.weights == "localsim", config.reduce_norm == "batch"
        hops, columns = config.localsim_hops if localsim else 0, config.localsim_columns if localsim else 1
        return cls(config.num_hops, config.hidden_channels, d, C, localsim, dense, n, batch_norm, hops, columns)

    @property
    def w(self) -> Width:
        """The vector width, 16 unless that would pad more than half a vector away; each is compiled when first used."""
        return W8 if 0 < self.hidden_channels % 16 <= 8 else W16

    @property
    def wide(self) -> Width:
        """Two vectors: as a tile wide enough to pay for reading an index, narrow enough for [N, tile] to stay in the
        cache."""
        return Width(2 * len(self.w))

    @property
    def z(self) -> int:
        return padded(self.hidden_channels, len(self.w))

    @property
    def alphas(self) -> int:
        return padded(3 * self.K, len(self.w))

    @property
    def classes(self) -> int:
        return padded(self.C, len(self.w))

    @property
    def width(self) -> int:
        return (2 * self.K + 1) * self.z

    @property
    def normed(self) -> int:
        """Columns that are standardised by batch norm."""
        return self.width if self.batch_norm else 0

    @property
    def blocks(self) -> int:
        """Blocks of z columns that the output layer reads."""
        return self.K + 1 + (self.n > 0)

    @property
    def tiles(self) -> list[tuple[int, int]]:
        """(first column, columns) of each tile: a channel for the dense reduction; for the narrow one a vector or two,
        and never columns of two hops."""
        if self.dense:
            return [(c * self.z, self.z) for c in range(2 * self.K + 1)]
        first, hop = gcd(self.z, len(self.wide)), gcd(2 * self.z, len(self.wide))
        return [(c, first) for c in range(0, self.z, first)] + [(c, hop) for c in range(self.z, self.width, hop)]

    @property
    def _small_sizes(self) -> list[int]:
        z, one = self.z, len(self.w)
        perceptrons = [2 * z, z, z, one, 2 * self.columns * z, z, self.alphas * z, self.alphas]
        head = padded(self.C, len(BATCH)) * self.blocks * z
        return [*perceptrons, head, self.classes, *[z if self.n else 0] * 3, *[self.normed] * 2]

    def zeros(self) -> Weights:
        reduce, links, running = self.d * self.width, self.n * self.z, 2 * self.z if self.n else 0
        return Weights(aligned(reduce), self.zero_small(), aligned(links), aligned(running), aligned(2 * self.normed))

    def zero_small(self) -> Floats:
        return aligned(sum(self._small_sizes))

    def views(self, small: Floats) -> Small:
        """The parts of a flat vector of small parameters."""
        return Small(*(small[a:b] for a, b in pairwise(self._small_ends)))

    def place_of(self, part: str) -> int:
        """Where a part of the small parameters begins."""
        return self._small_ends[Small._fields.index(part)]

    @property
    def _small_ends(self) -> list[int]:
        return [0, *accumulate(self._small_sizes)]

    def pack(self, state_dict: Mapping[str, Tensor]) -> Weights:
        """The model's parameters in the kernels' order."""
        weights = self.zeros()
        for target, source in zip(self._windows(weights), self._names(), strict=True):
            name, transposed = source
            values = state_dict[name].detach().cpu().numpy()
            target[...] = (values.T if transposed else values).reshape(target.shape)
        for target, name in zip(self._averages(weights), AVERAGES, strict=False):
            target[...] = state_dict[name].cpu().numpy()
        for name, target in (self._norm_windows(weights) | self._norm_averages(weights)).items():
            target[...] = state_dict[name].detach().cpu().numpy().reshape(target.shape)[block_order(self.K)]
        reduce = np.zeros((self.d, 2 * self.K + 1, self.z), dtype=np.float32)
        channels = state_dict[REDUCE].detach().cpu().numpy()  # [2K+1, d, hidden_channels]
        reduce[:, :, : self.hidden_channels] = channels[block_order(self.K)].transpose(1, 0, 2)
        for column, size in self.tiles:
            tile = reduce.reshape(self.d, self.width)[:, column : column + size]
            weights.reduce[column * self.d : (column + size) * self.d] = tile.ravel()
        return weights

    def unpack(self, weights: Weights) -> dict[str, Tensor]:
        """The way back; tensors own their memory."""
        averages = zip(AVERAGES, self._averages(weights), strict=False)
        state = self.parameters(weights) | {name: torch.from_numpy(window.copy()) for name, window in averages}
        state |= self._by_channel(self._norm_averages(weights))
        for norm, used in ((LINKS_NORM, self.n > 0), (REDUCE_NORM, self.batch_norm)):
            if used:
                state[f"{norm}.num_batches_tracked"] = torch.tensor(0)  # torch counts here, and never looks
        return state

    def parameters(self, weights: Weights) -> dict[str, Tensor]:
        """What has a gradient, under the model's names."""
        tiles = [weights.reduce[c * self.d : (c + size) * self.d].reshape(self.d, size) for c, size in self.tiles]
        reduce = np.hstack(tiles).reshape(self.d, 2 * self.K + 1, self.z)[:, :, : self.hidden_channels]
        channels = reduce.transpose(1, 0, 2)[np.argsort(block_order(self.K))]
        state = {REDUCE: torch.from_numpy(np.ascontiguousarray(channels))}
        shapes = self._shapes()
        for (name, transposed), window in zip(self._names(), self._windows(weights), strict=True):
            values = (window.T if transposed else window).reshape(shapes[name])
            state[name] = torch.from_numpy(np.array(values, dtype=np.float32))
        return state | self._by_channel(self._norm_windows(weights))

    def _names(self) -> list[tuple[str, bool]]:
        """(parameter, whether it lies transposed), in the order of `_windows`."""
        head = [(HEAD, False), (HEAD_BIAS, False)]
        if self.n:
            head += [(f"{LINKS}.weight", True), (f"{LINKS}.bias", False)]
            head += [(f"{LINKS_NORM}.weight", False), (f"{LINKS_NORM}.bias", False)]
        if not self.localsim:
            return [(GRAPH_ALPHA, False), *head]
        layers = [("0.weight", True), ("0.bias", False), ("2.weight", False), ("2.bias", False)]
        return [(f"{mlp}.{part}", flipped) for mlp in (LOCALSIM_MLP, ALPHA_MLP) for part, flipped in layers] + head

    def _windows(self, weights: Weights) -> list[Floats]:
        """The unpadded part of each small parameter."""
        q, z, h, m = self.views(weights.small), self.z, self.hidden_channels, 3 * self.K
        head = [q.head.reshape(-1, self.blocks, z)[: self.C, :, :h], q.head_bias[: self.C]]
        if self.n:
            head += [weights.links.reshape(self.n, z)[:, :h], q.links_bias[:h], q.norm_weight[:h], q.norm_bias[:h]]
        if not self.localsim:
            return [q.al_out_bias[:m], *head]
        return [
            q.ls_in.reshape(2, z)[:, :h],
            q.ls_bias[:h],
            q.ls_out[:h],
            q.ls_out_bias[:1],
            q.al_in.reshape(2 * self.columns, z)[:, :h],
            q.al_bias[:h],
            q.al_out.reshape(self.alphas, z)[:m, :h],
            q.al_out_bias[:m],
            *head,
        ]

    def _averages(self, weights: Weights) -> list[Floats]:
        """The unpadded running mean and variance, if there are any."""
        return list(weights.running.reshape(2, self.z)[:, : self.hidden_channels]) if self.n else []

    def _norm_windows(self, weights: Weights) -> dict[str, Floats]:
        """The unpadded scale and shift of batch norm, block by block [2K+1, hidden_channels], if there are any."""
        q = self.views(weights.small)
        return self._norm_blocks({f"{REDUCE_NORM}.weight": q.norm_scale, f"{REDUCE_NORM}.bias": q.norm_shift})

    def _norm_averages(self, weights: Weights) -> dict[str, Floats]:
        """Its running mean and variance."""
        mean, variance = np.split(weights.averages, 2)
        return self._norm_blocks({f"{REDUCE_NORM}.running_mean": mean, f"{REDUCE_NORM}.running_var": variance})

    def _norm_blocks(self, flat: Mapping[str, Floats]) -> dict[str, Floats]:
        shape, h = (2 * self.K + 1, self.z), self.hidden_channels
        return {name: values.reshape(shape)[:, :h] for name, values in flat.items()} if self.batch_norm else {}

    def _by_channel(self, windows: Mapping[str, Floats]) -> dict[str, Tensor]:
        """What lies block by block in the model's order of the channels, flat."""
        order = np.argsort(block_order(self.K))
        return {name: torch.from_numpy(window[order].ravel()) for name, window in windows.items()}

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        h, m = self.hidden_channels, 3 * self.K
        shapes: dict[str, tuple[int, ...]] = {HEAD: (self.C, self.blocks * h), HEAD_BIAS: (self.C,)}
        shapes |= {f"{LINKS}.weight": (h, self.n)} | {f"{part}.bias": (h,) for part in (LINKS, LINKS_NORM)}
        shapes[f"{LINKS_NORM}.weight"] = (h,)
        shapes[GRAPH_ALPHA] = (self.K, 3)
        for mlp, read, out in ((LOCALSIM_MLP, 1, 1), (ALPHA_MLP, self.columns, m)):
            shapes |= {f"{mlp}.0.weight": (h, 2 * read), f"{mlp}.0.bias": (h,)}
            shapes |= {f"{mlp}.2.weight": (out, h), f"{mlp}.2.bias": (out,)}
        return shapes
