r"""Fusion of the channels, hop by hop (equation 9), and the kinds of weights that can steer it.

.. math::
    Z^{(k)} = \alpha_I^{(k)} \odot \tilde H_I + \alpha_L^{(k)} \odot \tilde H_L^{(k)}
              + \alpha_H^{(k)} \odot \tilde H_H^{(k)}.

All kinds answer the same call, `weights(rows, G_I) → α [b, K, 3]`, last axis (I, L, H).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from lsgnn.config import Weights
from lsgnn.nn.localsim import LocalSimWeights, two_layer_perceptron, with_square
from lsgnn.nn.rows import Rows


def fuse(reduced: Tensor, alpha: Tensor) -> Tensor:
    """[2K+1, b, z] reduced channels and α [b, K, 3] → [b, K+1, z]: G_I, Z(1), …, Z(K)."""
    K = alpha.shape[1]
    G_I, G_L, G_H = reduced[:1], reduced[1 : K + 1], reduced[K + 1 :]
    a_I, a_L, a_H = alpha.permute(2, 1, 0).unsqueeze(-1)  # each [K, b, 1]
    Z = a_I * G_I + a_L * G_L + a_H * G_H
    return torch.cat([G_I, Z]).transpose(0, 1)


class LocalSimFusion(nn.Module):
    """The paper's weights: from LocalSim, refined or naive; `reads` are further arguments of `LocalSimWeights`."""

    def __init__(self, K: int, hidden_channels: int, refined: bool, **reads: Any) -> None:
        super().__init__()
        self.K = K
        self.weights = LocalSimWeights(3 * K, hidden_channels, refined, **reads)

    def forward(self, rows: Rows, G_I: Tensor) -> Tensor:
        alpha: Tensor = self.weights(rows).view(-1, self.K, 3)
        return alpha


class GraphFusion(nn.Module):
    """Graph-level weights: 3K numbers for the whole graph."""

    def __init__(self, K: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.empty(K, 3))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.alpha)

    def forward(self, rows: Rows, G_I: Tensor) -> Tensor:
        return self.alpha.expand(len(G_I), -1, -1)


class NodeFusion(nn.Module):
    """Node-level weights from the node's own representation, blind to its neighbours ('Rand' of the ablation)."""

    def __init__(self, K: int, hidden_channels: int) -> None:
        super().__init__()
        self.K = K
        self.linear = nn.Linear(hidden_channels, 3 * K)

    def forward(self, rows: Rows, G_I: Tensor) -> Tensor:
        alpha: Tensor = self.linear(G_I).view(-1, self.K, 3)
        return alpha


class FreeFusion(nn.Module):
    """Node-level weights as free parameters: those of test nodes keep their random start (second reading of 'Rand')."""

    def __init__(self, K: int, num_nodes: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.empty(num_nodes, K, 3))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.alpha)

    def forward(self, rows: Rows, G_I: Tensor) -> Tensor:
        return rows.pick(self.alpha)


class RandomFusion(nn.Module):
    """The paper's MLP fed one fixed random number per node instead of LocalSim (third reading of 'Rand')."""

    def __init__(self, K: int, hidden_channels: int, num_nodes: int) -> None:
        super().__init__()
        self.K = K
        self.mlp = two_layer_perceptron(2, hidden_channels, 3 * K)
        self.noise: Tensor
        self.register_buffer("noise", torch.empty(num_nodes))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.noise)

    def forward(self, rows: Rows, G_I: Tensor) -> Tensor:
        alpha: Tensor = self.mlp(with_square(rows.pick(self.noise))).view(-1, self.K, 3)
        return alpha


def make_fusion(kind: Weights, K: int, hidden_channels: int, num_nodes: int | None, **reads: Any) -> nn.Module:
    """The module for one kind of weights; those that keep something per node need `num_nodes`, and `reads` is for
    LocalSim."""
    if kind == "graph":
        return GraphFusion(K)
    if kind == "node":
        return NodeFusion(K, hidden_channels)
    if kind in ("localsim", "localsim_naive"):
        return LocalSimFusion(K, hidden_channels, refined=kind == "localsim", **reads)
    if num_nodes is None:
        raise ValueError(f"weights={kind!r} keeps a value per node: pass num_nodes")
    return FreeFusion(K, num_nodes) if kind == "free" else RandomFusion(K, hidden_channels, num_nodes)
