"""GGCN: "Two Sides of the Same Coin: Heterophily and Oversmoothing in Graph Convolutional Neural Networks"
(Yan et al., ICDM 2022), edge by edge instead of on n × n matrices.

Against the official code: in nothing but the trainer, and in time and memory, because it goes edge by edge. Self loops
of the data count in the degrees and in Â_ii; a node is no neighbour of itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.config import Direction
from lsgnn.graph.graph import Graph
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency, row_sums
from lsgnn.zoo.edge_products import EdgePattern
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, features
from lsgnn.zoo.layers import DefaultLinear, drop
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class GGCNConfig(BaselineConfig):
    """Settings of GGCN."""

    direction: Direction = "out"
    hidden_channels: int = 16  # ≥ 1
    num_layers: int = 2  # ≥ 2
    eta: float = 1.0  # ≥ 0, strength of the decaying residual
    exponent: float = 3.0  # ≥ 0, how fast it decays

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("num_layers", self.num_layers >= 2, "at least 2")
        self._require("eta", self.eta >= 0, "at least 0")
        self._require("exponent", self.exponent >= 0, "at least 0")


@dataclass(frozen=True, kw_only=True)
class GGCNInputs(NodeInputs):
    edges: EdgePattern  # without self loops
    norm: Tensor  # Â_ij on the edges [E]
    degree: Tensor  # t_ij = Â_ii / Â_ij - 1 on the edges [E]


class GGCNConv(nn.Module):
    r"""Signed messages with degree correction

    .. math::
        H' = \mathrm{softplus}(\sigma) \big( c_1 M^+ \bar H + c_2 M^- \bar H + c_3 \bar H \big), \quad
        \bar H = H W + b, \quad M_{ij} = \cos(\bar H_i, \bar H_j)\, \hat A_{ij}\, \mathrm{softplus}(a t_{ij} + b_0),

    where :math:`M^\pm` are the positive and the negative part of M, c is a softmax, and
    :math:`t_{ij} = \hat A_{ii} / \hat A_{ij} - 1` compares the degrees of i and j.

    Args:
        in_channels: width of H.
        out_channels: width of H'.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.linear = DefaultLinear(in_channels, out_channels)
        self.degree = nn.Parameter(torch.empty(2))  # a, b0
        self.share = nn.Parameter(torch.empty(3))  # c before its softmax
        self.scale = nn.Parameter(torch.empty(1))  # σ
        self.reset_parameters()

    def reset_parameters(self) -> None:
        self.linear.reset_parameters()
        with torch.no_grad():
            self.degree.copy_(torch.tensor([0.5, 0.0]))
            self.share.zero_()
            self.scale.fill_(2.0)

    def forward(self, h: Any, inputs: GGCNInputs) -> Tensor:
        Wh = self.linear(h)  # [n, z]
        unit = F.normalize(Wh, dim=-1, eps=1e-9)
        M = inputs.edges.dot(unit, unit) * inputs.norm * F.softplus(self.degree[0] * inputs.degree + self.degree[1])
        c = F.softmax(self.share, dim=0)
        signed = c[0] * F.relu(M) - c[1] * F.relu(-M)  # one weight per edge serves both parts
        out: Tensor = F.softplus(self.scale) * (inputs.edges.weighted_sum(signed, Wh) + c[2] * Wh)
        return out


class GGCN(nn.Module):
    r"""`GGCNConv` layers joined by a decaying residual

    .. math::
        R_1 = \mathrm{ELU}(X W_0) + \mathrm{ELU}(H_1), \quad R_l = R_{l-1} +
        \ln\big(\eta / (l + 1)^{exponent} + 1\big)\, \mathrm{ELU}(H_l), \quad H_{l+1} = \mathrm{conv}_{l+1}(R_l).

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_layers: L ≥ 2.
        eta: strength of the residual from the second layer on.
        exponent: its decay.
        dropout: of the features and of each residual.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        eta: float = 1.0,
        exponent: float = 3.0,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), out_channels]
        self.first = DefaultLinear(in_channels, hidden_channels)
        self.convs = nn.ModuleList(GGCNConv(d, z) for d, z in pairwise(widths))
        self.eta, self.exponent, self.dropout = eta, exponent, dropout

    def reset_parameters(self) -> None:
        self.first.reset_parameters()
        for conv in self.convs:
            conv.reset_parameters()  # type: ignore[operator]

    def residual_share(self, step: int) -> float:
        """How much of layer `step` + 1 joins the residual."""
        return 1.0 if step == 0 else math.log(self.eta / (step + 2) ** self.exponent + 1)

    def forward(self, inputs: GGCNInputs) -> Tensor:
        x = drop(inputs.x, self.dropout, self.training)
        total = F.elu(self.first(x))
        h: Tensor = self.convs[0](x, inputs)
        for step, conv in enumerate(self.convs[1:]):
            total = total + self.residual_share(step) * F.dropout(F.elu(h), self.dropout, self.training)
            h = conv(total, inputs)
        return inputs.pick(h)  # [b, C]


def prepare(graph: Graph, config: GGCNConfig, columns: ColumnScale | None = None) -> GGCNInputs:
    A = adjacency(graph, config.direction)
    loops = 1.0 + adjacency(graph, config.direction, self_loops=True).diagonal()  # those of the data, and one of I
    D = row_sums(A) + loops
    edges = EdgePattern.of(A)
    row, col = edges.row.numpy(), A.indices
    norm = A.data / np.sqrt(D[row] * D[col])  # Â_ij
    degree = loops[row] / D[row] / norm - 1.0  # Â_ii / Â_ij - 1
    return GGCNInputs(
        x=features(graph, config.feature_norm, columns),
        edges=edges,
        norm=torch.from_numpy(norm.astype(np.float32)),
        degree=torch.from_numpy(degree.astype(np.float32)),
    )


def build(config: GGCNConfig, graph: Graph, inputs: GGCNInputs) -> GGCN:
    return GGCN(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.num_layers,
        config.eta,
        config.exponent,
        config.dropout,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "num_layers": trial.suggest_categorical("num_layers", [2, 4, 5, 6, 10, 32]),
        "hidden_channels": trial.suggest_categorical("hidden_channels", [16, 32, 80]),
        "eta": trial.suggest_float("eta", 0.0, 1.5),
        "weight_decay": trial.suggest_float("weight_decay", 1e-7, 1e-2, log=True),
        "dropout": trial.suggest_float("dropout", 0.0, 0.7, step=0.1),
    }


MODEL = Model("ggcn", "GGCN", GGCNConfig, prepare, build, space)
