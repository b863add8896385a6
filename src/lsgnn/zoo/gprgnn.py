"""GPRGNN: "Adaptive Universal Generalized PageRank Graph Neural Network" (Chien et al., ICLR 2021).

Against the official code: in nothing but the trainer. By default both directions of an edge are read; its loader leaves
directed graphs directed, which is direction="in".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.zoo.layers import DefaultLinear, FeatureMLP, decay_only
from lsgnn.zoo.plugin import HostWeights, LocalSimInit, PluginConfig, PluginInputs, host_localsim, plugin_inputs
from lsgnn.zoo.protocol import Model

GammaInit = Literal["ppr", "nppr", "sgc", "random"]


@dataclass(frozen=True, kw_only=True)
class GPRGNNConfig(PluginConfig):
    """Settings of GPRGNN."""

    K: int = 10  # ≥ 1 hops
    alpha: float = 0.1  # [0, 1] for ppr and nppr; a whole number of hops up to K for sgc
    init: GammaInit = "ppr"
    dprate: float = 0.5  # [0, 1), dropout of the MLP's output before it is propagated

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("K", self.K >= 1, "at least 1")
        self._require("dprate", 0 <= self.dprate < 1, "at least 0 and below 1")
        if self.init == "sgc":
            self._require(
                "alpha", self.alpha in range(self.K + 1), f"a whole number from 0 to K={self.K} for init='sgc'"
            )
        else:
            self._require("alpha", 0 <= self.alpha <= 1, "between 0 and 1")


def initial_gamma(K: int, alpha: float, init: GammaInit) -> Tensor:
    """γ_0 … γ_K [K+1] at the start of training."""
    k = torch.arange(K + 1)
    if init == "ppr":  # sums to 1: APPNP's weights
        gamma = alpha * (1.0 - alpha) ** k
        gamma[-1] = (1.0 - alpha) ** K
        return gamma
    if init == "sgc":
        return (k == int(alpha)).float()
    bound = math.sqrt(3 / (K + 1))
    gamma = torch.empty(K + 1).uniform_(-bound, bound) if init == "random" else torch.tensor(alpha) ** k
    return gamma / gamma.abs().sum()


class GPRGNN(nn.Module):
    r"""Generalised PageRank with learned weights, positive or negative

    .. math::
        \hat Y = \sum_{k=0}^K \gamma_k \hat P^k H, \qquad H = \mathrm{MLP}(X);

    with `weights="localsim"`, node i has weights :math:`\alpha_k(i)` of its own instead of :math:`\gamma_k`.
    Neither has weight decay.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        K: hops.
        alpha: α of the initial weights.
        init: kind of initial weights.
        dropout: before both layers of the MLP.
        dprate: of the MLP's output.
        weights: the model's own, or LocalSim's.
        localsim_init: where LocalSim's weights start.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        K: int = 10,
        alpha: float = 0.1,
        init: GammaInit = "ppr",
        dropout: float = 0.5,
        dprate: float = 0.5,
        weights: HostWeights = "original",
        localsim_init: LocalSimInit = "host",
    ) -> None:
        super().__init__()
        self.mlp = FeatureMLP(in_channels, hidden_channels, out_channels, dropout=dropout, linear=DefaultLinear)
        gamma = initial_gamma(K, alpha, init)
        own = weights == "original"
        self.gamma = nn.Parameter(gamma) if own else None
        self.localsim = nn.Identity() if own else host_localsim(gamma.tolist(), hidden_channels, localsim_init)
        self.K, self.dprate = K, dprate

    def parameter_groups(self, weight_decay: float) -> list[dict[str, Any]]:
        return decay_only(self, self.mlp.parameters(), weight_decay)

    def forward(self, inputs: PluginInputs) -> Tensor:
        h = F.dropout(self.mlp(inputs.x), self.dprate, self.training)  # [n, C]
        gamma = self.localsim(inputs.neighbours) if self.gamma is None else self.gamma.unsqueeze(0)  # [n or 1, K+1]
        out = gamma[:, :1] * h
        for k in range(1, self.K + 1):
            h = inputs.adj @ h
            out = out + gamma[:, k : k + 1] * h
        return inputs.pick(out)


def build(config: GPRGNNConfig, graph: Graph, inputs: PluginInputs) -> GPRGNN:
    return GPRGNN(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.K,
        config.alpha,
        config.init,
        config.dropout,
        config.dprate,
        config.weights,
        config.localsim_init,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "alpha": trial.suggest_categorical("alpha", [0.0, 0.1, 0.2, 0.5, 0.9, 1.0]),
        "lr": trial.suggest_categorical("lr", [0.002, 0.01, 0.05]),
        "weight_decay": trial.suggest_categorical("weight_decay", [0.0, 5e-4]),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5, 0.7]),
        "dprate": trial.suggest_categorical("dprate", [0.0, 0.5, 0.7]),
    }


MODEL = Model("gprgnn", "GPRGNN", GPRGNNConfig, plugin_inputs, build, space)
