"""GCNII: "Simple and Deep Graph Convolutional Networks" (Chen et al., ICML 2020), plain and star variant.

Against the official code: in nothing but the trainer. Its outer layers begin as torch's, its inner ones uniform in
±1/√z; self loops of the data are kept beside the added ones, and directed graphs are read along out-links.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, features, gcn_filter
from lsgnn.zoo.layers import DefaultLinear, drop
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class GCNIIConfig(BaselineConfig):
    """Settings of GCNII."""

    num_layers: int = 16  # ≥ 1
    alpha: float = 0.5  # [0, 1], share of the initial residual
    theta: float = 1.0  # > 0, λ of the paper: β_l = ln(λ/l + 1)
    star: bool = False  # GCNII*: a matrix of its own for the initial residual
    raw_self_loops: bool = True  # the original code adds I on top of the data's own self loops

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("num_layers", self.num_layers >= 1, "at least 1")
        self._require("alpha", 0 <= self.alpha <= 1, "between 0 and 1")
        self._require("theta", self.theta > 0, "positive")


class GCNIILayer(nn.Module):
    r"""One layer, :math:`H' = \mathrm{ReLU}((1-\beta) \bar H + \beta \bar H W)` with
    :math:`\bar H = (1-\alpha) \hat P H + \alpha H_0`; starred, :math:`\beta [\hat P H \,\|\, H_0] W` takes the place of
    :math:`\beta \bar H W`.

    Args:
        channels: z.
        alpha: share of the initial residual.
        beta: share of the weights.
        star: the starred form.
    """

    def __init__(self, channels: int, alpha: float, beta: float, star: bool = False) -> None:
        super().__init__()
        self.alpha, self.beta, self.star = alpha, beta, star
        self.weight = nn.Parameter(torch.empty(2 * channels if star else channels, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.weight.shape[1])
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self, h: Tensor, h0: Tensor, adj: SparseMatrix) -> Tensor:
        smoothed = adj @ h
        mixed = (1 - self.alpha) * smoothed + self.alpha * h0
        weighted = (torch.cat([smoothed, h0], dim=1) if self.star else mixed) @ self.weight
        return F.relu((1 - self.beta) * mixed + self.beta * weighted)


class GCNII(nn.Module):
    r"""Deep GCN with initial residual and identity mapping

    .. math::
        H_l = \mathrm{ReLU}\big( ((1-\alpha) \hat P H_{l-1} + \alpha H_0) ((1-\beta_l) I + \beta_l W_l) \big),
        \qquad \beta_l = \ln(\lambda / l + 1),

    between :math:`H_0 = \mathrm{ReLU}(X W_{in})` and a linear output layer.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_layers: L.
        alpha: α.
        theta: λ.
        dropout: before every layer; H_0 in the residual is never dropped.
        star: GCNII*.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 16,
        alpha: float = 0.5,
        theta: float = 1.0,
        dropout: float = 0.5,
        star: bool = False,
    ) -> None:
        super().__init__()
        self.first = DefaultLinear(in_channels, hidden_channels)
        self.layers = nn.ModuleList(
            GCNIILayer(hidden_channels, alpha, math.log(theta / (number + 1) + 1), star) for number in range(num_layers)
        )
        self.last = DefaultLinear(hidden_channels, out_channels)
        self.dropout = dropout

    def reset_parameters(self) -> None:
        for module in (self.first, *self.layers, self.last):
            module.reset_parameters()

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        h = h0 = F.relu(self.first(drop(inputs.x, self.dropout, self.training)))  # [n, z]
        for layer in self.layers:
            h = layer(F.dropout(h, self.dropout, self.training), h0, inputs.adj)
        logits: Tensor = self.last(F.dropout(inputs.pick(h), self.dropout, self.training))
        return logits  # [b, C]


def prepare(graph: Graph, config: GCNIIConfig, columns: ColumnScale | None = None) -> AdjacencyInputs:
    adj = gcn_filter(graph, config.direction, config.raw_self_loops)
    return AdjacencyInputs(x=features(graph, config.feature_norm, columns), adj=SparseMatrix.of(adj))


def build(config: GCNIIConfig, graph: Graph, inputs: AdjacencyInputs) -> GCNII:
    return GCNII(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.num_layers,
        config.alpha,
        config.theta,
        config.dropout,
        config.star,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "num_layers": trial.suggest_categorical("num_layers", [2, 4, 8, 16, 32]),
        "alpha": trial.suggest_categorical("alpha", [0.1, 0.2, 0.5]),
        "theta": trial.suggest_categorical("theta", [0.5, 1.0, 1.5]),
        "lr": trial.suggest_categorical("lr", [0.005, 0.01, 0.05]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.3, 0.5, 0.6]),
        "star": trial.suggest_categorical("star", [False, True]),
    }


MODEL = Model("gcnii", "GCNII", GCNIIConfig, prepare, build, space)
