"""DAGNN: "Towards Deeper Graph Neural Networks" (Liu et al., KDD 2020).

Against the official code: in nothing but the trainer, whose patience holds from the first epoch on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from lsgnn.graph.graph import Graph
from lsgnn.zoo.layers import DefaultLinear, FeatureMLP, decay_only
from lsgnn.zoo.plugin import HostWeights, LocalSimInit, PluginConfig, PluginInputs, host_localsim, plugin_inputs
from lsgnn.zoo.protocol import Model

Act = Literal["none", "sigmoid"]


@dataclass(frozen=True, kw_only=True)
class DAGNNConfig(PluginConfig):
    """Settings of DAGNN."""

    K: int = 10  # ≥ 1 hops
    dropout: float = 0.8
    weight_decay: float = 5e-3
    localsim_act: Act = "none"  # sigmoid: LocalSim's weights between 0 and 1, as DAGNN's own

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("K", self.K >= 1, "at least 1")


class DAGNN(nn.Module):
    r"""Deep adaptive graph neural network: each node retains what it needs of each hop

    .. math::
        \hat Y_i = \sum_{k=0}^K s_k(i) H_i^{(k)}, \qquad s_k(i) = \sigma(w^\top H_i^{(k)} + b), \qquad
        H^{(k)} = \hat P^k\, \mathrm{MLP}(X);

    with `weights="localsim"`, :math:`s_k(i)` comes from LocalSim, without weight decay.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        K: hops.
        dropout: before both layers of the MLP.
        weights: the model's own, or LocalSim's.
        localsim_init: where LocalSim's weights start.
        localsim_act: squash LocalSim's weights or not.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        K: int = 10,
        dropout: float = 0.8,
        weights: HostWeights = "original",
        localsim_init: LocalSimInit = "host",
        localsim_act: Act = "none",
    ) -> None:
        super().__init__()
        self.mlp = FeatureMLP(in_channels, hidden_channels, out_channels, dropout=dropout, linear=DefaultLinear)
        own = weights == "original"
        start = 0.0 if localsim_act == "sigmoid" else 0.5  # half of every hop, as σ(0) gives
        self.retain = nn.Linear(out_channels, 1) if own else None
        self.localsim = None if own else host_localsim([start] * (K + 1), hidden_channels, localsim_init)
        self.K, self.localsim_act = K, localsim_act

    def parameter_groups(self, weight_decay: float) -> list[dict[str, Any]]:
        steering = [] if self.retain is None else list(self.retain.parameters())
        return decay_only(self, [*self.mlp.parameters(), *steering], weight_decay)

    def forward(self, inputs: PluginInputs) -> Tensor:
        hops = [self.mlp(inputs.x)]
        for _ in range(self.K):
            hops.append(inputs.adj @ hops[-1])
        stack = inputs.pick(torch.stack(hops, dim=1))  # [b, K+1, C]
        return (self.scores(stack, inputs).unsqueeze(-1) * stack).sum(dim=1)

    def scores(self, stack: Tensor, inputs: PluginInputs) -> Tensor:
        """s_k(i), how much node i keeps of hop k [b, K+1]."""
        if self.retain is not None:
            return torch.sigmoid(self.retain(stack).squeeze(-1))
        assert self.localsim is not None
        s = inputs.pick(self.localsim(inputs.neighbours))
        return torch.sigmoid(s) if self.localsim_act == "sigmoid" else s


def build(config: DAGNNConfig, graph: Graph, inputs: PluginInputs) -> DAGNN:
    return DAGNN(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.K,
        config.dropout,
        config.weights,
        config.localsim_init,
        config.localsim_act,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "K": trial.suggest_categorical("K", [5, 10, 20]),
        "lr": trial.suggest_categorical("lr", [0.002, 0.01, 0.05]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 2e-2, log=True),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5, 0.8]),
    }


MODEL = Model("dagnn", "DAGNN", DAGNNConfig, plugin_inputs, build, space)
