"""FAGCN: "Beyond Low-frequency Information in Graph Convolutional Networks" (Bo et al., AAAI 2021), over PyG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import FAConv

from lsgnn.graph.graph import Graph
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, features
from lsgnn.zoo.layers import FeatureLinear, drop
from lsgnn.zoo.protocol import Model


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
class WeightedEdgeInputs(NodeInputs):
    """Features, the edges that messages follow, and their weights."""

    edge_index: Tensor  # [2, E], source → target
    edge_weight: Tensor  # [E]


class FAGCN(nn.Module):
    r"""Frequency-adaptive graph convolution: edges may pull together or push apart

    .. math::
        h_i^{(l)} = \varepsilon h_i^{(0)} + \sum_{j \in N_i}
        \frac{\tanh(g^\top [h_i^{(l-1)} \,\|\, h_j^{(l-1)}])}{\sqrt{d_i d_j}} h_j^{(l-1)},

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
        self.first = FeatureLinear(in_channels, hidden_channels)
        self.layers = nn.ModuleList(FAConv(hidden_channels, eps, dropout, normalize=False) for _ in range(num_layers))
        self.last = FeatureLinear(hidden_channels, out_channels)
        self.dropout = dropout
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for weight in (p for p in self.parameters() if p.dim() >= 2):
            nn.init.xavier_normal_(weight, gain=math.sqrt(2))
        for layer in (self.first, self.last):
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)

    def forward(self, inputs: WeightedEdgeInputs) -> Tensor:
        h = F.relu(self.first(drop(inputs.x, self.dropout, self.training)))
        h = h0 = F.dropout(h, self.dropout, self.training)  # [n, z]
        for layer in self.layers:
            h = layer(h, h0, inputs.edge_index, inputs.edge_weight)
        logits: Tensor = self.last(inputs.pick(h))
        return logits  # [b, C]


def prepare(graph: Graph, config: FAGCNConfig, columns: ColumnScale | None = None) -> WeightedEdgeInputs:
    A = normalized_adjacency(
        adjacency(graph, config.direction), "plain"
    ).tocoo()  # no self loops, not even in the degree
    return WeightedEdgeInputs(
        x=features(graph, config.feature_norm, columns),
        edge_index=torch.from_numpy(np.stack([A.col, A.row]).astype(np.int64)),  # A[i, j]: the message goes j → i
        edge_weight=torch.from_numpy(A.data),
    )


def build(config: FAGCNConfig, graph: Graph, inputs: WeightedEdgeInputs) -> FAGCN:
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
