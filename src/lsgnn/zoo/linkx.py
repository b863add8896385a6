"""LINKX: "Large Scale Learning on Non-Homophilous Graphs" (Lim et al., NeurIPS 2021).

Against the official code: in nothing but the trainer. A is neither normalised nor given self loops, and those of the
data are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.config import Optimizer
from lsgnn.graph.graph import Graph
from lsgnn.graph.new_nodes import NewNodes
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.extremes import require_moderate_weights
from lsgnn.propagate.filters import adjacency
from lsgnn.propagate.structure_features import Scales
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, features
from lsgnn.zoo.layers import DefaultLinear
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class LINKXConfig(BaselineConfig):
    """Settings of LINKX."""

    num_layers: int = 1  # ≥ 1, of the final MLP
    num_edge_layers: int = 1  # ≥ 1, of MLP_A
    num_node_layers: int = 1  # ≥ 1, of MLP_X
    optimizer: Optimizer = "adamw"
    weight_decay: float = 1e-3
    epochs: int = 500

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("num_layers", "num_edge_layers", "num_node_layers"):
            self._require(field, getattr(self, field) >= 1, "at least 1")

    @property
    def tied_to_graph(self) -> str:
        return "an embedding of the adjacency matrix, which keeps parameters of each node"

    @property
    def tied_to_nodes(self) -> str:
        return ""  # the embedding has parameters of the known ends of a new node's links, and needs no others


class NormMLP(nn.Module):
    """Linear → ReLU → BatchNorm → dropout for every layer but the last, which is linear; reads sparse matrices too."""

    def __init__(self, in_channels: int, hidden: int, out_channels: int, num_layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        widths = [in_channels, *[hidden] * (num_layers - 1), out_channels]
        self.layers = nn.ModuleList(DefaultLinear(d, z) for d, z in pairwise(widths))
        self.norms = nn.ModuleList(nn.BatchNorm1d(hidden) for _ in range(num_layers - 1))
        self.dropout = dropout

    def forward(self, x: SparseMatrix | Tensor) -> Tensor:
        first, *others = self.layers
        h: Tensor = first(x)
        for norm, layer in zip(self.norms, others, strict=True):
            h = layer(F.dropout(norm(F.relu(h)), self.dropout, self.training))
        return h


class LINKX(nn.Module):
    r"""Adjacency and features embedded apart, then mixed

    .. math::
        h_A = \mathrm{MLP}_A(A), \quad h_X = \mathrm{MLP}_X(X), \quad
        \hat Y = \mathrm{MLP}_f\big( \mathrm{ReLU}( W [h_A \,\|\, h_X] + h_A + h_X ) \big).

    A is not normalised; its first layer keeps a weight row per node, so that a new node is
    classified by its links to known ones, and nodes of another graph cannot be.

    Args:
        num_nodes: n.
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_layers: layers of the final MLP.
        num_edge_layers: layers of MLP_A.
        num_node_layers: layers of MLP_X.
        dropout: in the final MLP.
    """

    def __init__(
        self,
        num_nodes: int,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 1,
        num_edge_layers: int = 1,
        num_node_layers: int = 1,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        z = hidden_channels
        self.edge_mlp = NormMLP(num_nodes, z, z, num_edge_layers)
        self.node_mlp = NormMLP(in_channels, z, z, num_node_layers)
        self.mix = DefaultLinear(2 * z, z)
        self.final_mlp = NormMLP(z, z, out_channels, num_layers, dropout)

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        h_A, h_X = self.edge_mlp(inputs.adj), self.node_mlp(inputs.x)  # [n, z] each
        h = F.relu(self.mix(torch.cat([h_A, h_X], dim=1)) + h_A + h_X)
        return inputs.pick(self.final_mlp(h))  # [b, C]


def prepare(graph: Graph, config: LINKXConfig, columns: ColumnScale | None = None) -> AdjacencyInputs:
    require_moderate_weights(graph, "linkx")
    A = adjacency(graph, config.direction, self_loops=True)  # none added, those of the data kept
    return AdjacencyInputs(x=features(graph, config.feature_norm, columns), adj=SparseMatrix.of(A))


def build(config: LINKXConfig, graph: Graph, inputs: AdjacencyInputs) -> LINKX:
    return LINKX(
        graph.num_nodes,
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.num_layers,
        config.num_edge_layers,
        config.num_node_layers,
        config.dropout,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "hidden_channels": trial.suggest_categorical("hidden_channels", [64, 128, 256, 512]),
        "num_layers": trial.suggest_int("num_layers", 1, 4),
        "num_edge_layers": trial.suggest_int("num_edge_layers", 1, 2),
        "num_node_layers": trial.suggest_int("num_node_layers", 1, 2),
        "lr": trial.suggest_categorical("lr", [0.002, 0.01, 0.05]),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5]),
    }


@dataclass(frozen=True)
class LINKXEntry(Model[LINKXConfig]):
    """New nodes have no column of A: nothing was learned about links to them."""

    def attached(
        self, graph: Graph, inputs: AdjacencyInputs, new: NewNodes, config: LINKXConfig, scales: Scales, exact: bool
    ) -> AdjacencyInputs:
        whole: AdjacencyInputs = super().attached(graph, inputs, new, config, scales, exact)
        return replace(whole, adj=whole.adj.first_columns(graph.num_nodes))


MODEL = LINKXEntry("linkx", "LINKX", LINKXConfig, prepare, build, space)
