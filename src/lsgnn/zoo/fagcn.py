"""FAGCN: "Beyond Low-frequency Information in Graph Convolutional Networks" (Bo et al., AAAI 2021).

Against the official code: in nothing but the trainer. Links run both ways, self loops of the data are left out, every
layer has a gate and a gate bias of its own; a degree of 0 counts as 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.zoo.edge_products import EdgePattern
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, features, plain_filter
from lsgnn.zoo.layers import DefaultLinear, drop
from lsgnn.zoo.protocol import Model

GAIN = 1.414


@dataclass(frozen=True, kw_only=True)
class FAGCNConfig(BaselineConfig):
    """Settings of FAGCN."""

    num_layers: int = 2  # ≥ 1
    eps: float = 0.3  # [0, 1], share of the initial residual
    hidden_channels: int = 32
    weight_decay: float = 5e-5

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("num_layers", self.num_layers >= 1, "at least 1")
        self._require("eps", 0 <= self.eps <= 1, "between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class GatedInputs(NodeInputs):
    """Features, who reads whom, and 1/√(d_i d_j) of each edge."""

    edges: EdgePattern  # without self loops
    norm: Tensor  # [E]


class FALayer(nn.Module):
    r""":math:`\sum_j \tanh(g^\top [h_i \,\|\, h_j] + b)\, h_j / \sqrt{d_i d_j}`, with dropout of the gates.

    Args:
        channels: z.
        dropout: of the gates.
    """

    def __init__(self, channels: int, dropout: float) -> None:
        super().__init__()
        self.gate = nn.Linear(2 * channels, 1)
        self.dropout = dropout
        self.reset_parameters()

    def reset_parameters(self) -> None:
        self.gate.reset_parameters()
        nn.init.xavier_normal_(self.gate.weight, gain=GAIN)

    def forward(self, h: Tensor, inputs: GatedInputs) -> Tensor:
        of_i, of_j = (h @ half for half in self.gate.weight[0].chunk(2))  # each [n]
        gate = torch.tanh(of_i[inputs.edges.row] + of_j[inputs.edges.col] + self.gate.bias)  # [E]
        return inputs.edges.weighted_sum(F.dropout(gate * inputs.norm, self.dropout, self.training), h)


class FAGCN(nn.Module):
    r"""Frequency-adaptive graph convolution: edges may pull together or push apart

    .. math::
        h_i^{(l)} = \varepsilon h_i^{(0)} + \sum_{j \in N_i}
        \frac{\tanh(g_l^\top [h_i^{(l-1)} \,\|\, h_j^{(l-1)}] + b_l)}{\sqrt{d_i d_j}} h_j^{(l-1)},

    between :math:`h^{(0)} = \mathrm{ReLU}(X W_1)` and a linear output layer.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_layers: L.
        eps: ε.
        dropout: of the input, of h⁽⁰⁾ and of the gates.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        eps: float = 0.3,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.first = DefaultLinear(in_channels, hidden_channels)
        self.layers = nn.ModuleList(FALayer(hidden_channels, dropout) for _ in range(num_layers))
        self.last = DefaultLinear(hidden_channels, out_channels)
        self.eps, self.dropout = eps, dropout
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for linear in (self.first, self.last):
            linear.reset_parameters()
            nn.init.xavier_normal_(linear.weight, gain=GAIN)
        for layer in self.layers:
            layer.reset_parameters()  # type: ignore[operator]

    def forward(self, inputs: GatedInputs) -> Tensor:
        h = F.relu(self.first(drop(inputs.x, self.dropout, self.training)))
        h = h0 = F.dropout(h, self.dropout, self.training)  # [n, z]
        for layer in self.layers:
            h = self.eps * h0 + layer(h, inputs)
        logits: Tensor = self.last(inputs.pick(h))
        return logits  # [b, C]


def prepare(graph: Graph, config: FAGCNConfig, columns: ColumnScale | None = None) -> GatedInputs:
    A = plain_filter(graph, config.direction)
    x = features(graph, config.feature_norm, columns)
    return GatedInputs(x=x, edges=EdgePattern.of(A), norm=torch.from_numpy(A.data))


def build(config: FAGCNConfig, graph: Graph, inputs: GatedInputs) -> FAGCN:
    return FAGCN(
        inputs.x.shape[1], config.hidden_channels, graph.num_classes, config.num_layers, config.eps, config.dropout
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "num_layers": trial.suggest_categorical("num_layers", [1, 2, 4]),
        "eps": trial.suggest_categorical("eps", [0.1, 0.2, 0.3, 0.4, 0.5, 0.8, 1.0]),
        "lr": trial.suggest_categorical("lr", [0.005, 0.01]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-3, log=True),
        "dropout": trial.suggest_categorical("dropout", [0.1, 0.3, 0.5, 0.6]),
        "hidden_channels": trial.suggest_categorical("hidden_channels", [16, 32, 64]),
    }


MODEL = Model("fagcn", "FAGCN", FAGCNConfig, prepare, build, space)
