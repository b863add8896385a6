"""WRGAT: "Breaking the Limit of Graph Neural Networks by Improving the Assortativity of Graphs with Local Mixing
Patterns" (Suresh et al., KDD 2021); the row "WRGNN" of the paper's table.

Against the official code: structural distances are exact where struc2vec's are approximate (FastDTW), over three rings
by default where it takes up to ten. The layers are the same, with the second division by the number of edges and the
self loops of the data. The original means to test the best of every tenth epoch and tests the last: we test the best.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.extremes import require_moderate_weights
from lsgnn.propagate.filters import adjacency
from lsgnn.zoo.edge_products import EdgePattern
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, features
from lsgnn.zoo.layers import FeatureLinear, drop
from lsgnn.zoo.protocol import Model
from lsgnn.zoo.structural_relations import structural_distances


@dataclass(frozen=True, kw_only=True)
class WRGATConfig(BaselineConfig):
    """Settings of WRGAT."""

    hidden_channels: int = 128  # ≥ 1
    rings: int = 3  # ≥ 0 structural relations: ring 0 is the node itself, ring 1 its neighbours …
    candidates: int = 0  # ≥ 0 nodes of closest degree each node is compared with; 0: 2·log2 n
    mean: bool = True  # divide by the number of edges after the softmax too, as the released code does

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("rings", "candidates"):
            self._require(field, getattr(self, field) >= 0, "at least 0")


@dataclass(frozen=True)
class Relation:
    """Weighted edges of one kind: row i reads column j."""

    edges: EdgePattern
    weight: Tensor  # [E]
    count: Tensor  # edges of each row, at least 1 [n]

    @classmethod
    def of(cls, matrix: sp.csr_array) -> Relation:
        count = torch.from_numpy(np.maximum(np.diff(matrix.indptr), 1).astype(np.float32))
        return cls(EdgePattern.of(matrix), torch.from_numpy(matrix.data.astype(np.float32)), count)

    def to(self, device: torch.device | str) -> Relation:
        return Relation(self.edges.to(device), self.weight.to(device), self.count.to(device))


@dataclass(frozen=True, kw_only=True)
class RelationalInputs(NodeInputs):
    relations: tuple[Relation, ...]  # the graph's own edges, then one per ring

    def to(self, device: torch.device | str) -> Self:
        return dataclasses.replace(super().to(device), relations=tuple(r.to(device) for r in self.relations))


class WRGATConv(nn.Module):
    r"""Relational attention with edge weights

    .. math::
        h_i' = W_0 h_i + b + \sum_r \frac{1}{|N_r(i)|} \sum_{j \in N_r(i)} w_{ij}^r \alpha_{ij}^r W_r h_j, \quad
        \alpha_{ij}^r = \mathrm{softmax}_j\, \mathrm{LeakyReLU}\big(a_r^\top [W_r h_i \,\|\, W_r h_j]\big).

    Args:
        in_channels: width of h.
        out_channels: width of h'.
        num_relations: R.
        mean: False leaves out the division by :math:`|N_r(i)|`.
    """

    def __init__(self, in_channels: int, out_channels: int, num_relations: int, mean: bool = True) -> None:
        super().__init__()
        self.out_channels, self.mean = out_channels, mean
        self.linear = FeatureLinear(in_channels, (num_relations + 1) * out_channels, bias=False)  # W_0, W_1 … W_R
        self.attention = nn.Parameter(torch.empty(num_relations, 2, out_channels))  # a_r, its halves for i and for j
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for weight in torch.split(self.linear.weight, self.out_channels, dim=1):
            nn.init.xavier_uniform_(weight)
        R, halves, z = self.attention.shape
        bound = math.sqrt(6 / (R + halves * z))  # Glorot's, of one matrix with a row per relation
        nn.init.uniform_(self.attention, -bound, bound)
        nn.init.zeros_(self.bias)

    def forward(self, h: SparseMatrix | Tensor, relations: tuple[Relation, ...]) -> Tensor:
        root, *narrow = torch.split(self.linear(h), self.out_channels, dim=1)  # each [n, z]
        out = root + self.bias
        for H, (a_i, a_j), relation in zip(narrow, self.attention, relations, strict=True):
            edges, H = relation.edges, H.contiguous()
            score = F.leaky_relu((H @ a_i)[edges.row] + (H @ a_j)[edges.col], 0.2)  # [E]
            total = edges.weighted_sum(relation.weight * edges.softmax(score), H)
            out = out + (total / relation.count.unsqueeze(-1) if self.mean else total)
        return out


class WRGAT(nn.Module):
    r"""Two layers on the graph's edges and its structural relations,
    :math:`\hat Y = \mathrm{conv}_2(\mathrm{ReLU}(\mathrm{conv}_1(X)))`.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_relations: R, the graph's own edges included.
        dropout: before the second layer.
        mean: of `WRGATConv`.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_relations: int,
        dropout: float = 0.5,
        mean: bool = True,
    ) -> None:
        super().__init__()
        self.conv1 = WRGATConv(in_channels, hidden_channels, num_relations, mean)
        self.conv2 = WRGATConv(hidden_channels, out_channels, num_relations, mean)
        self.dropout = dropout

    def reset_parameters(self) -> None:
        self.conv1.reset_parameters()
        self.conv2.reset_parameters()

    def forward(self, inputs: RelationalInputs) -> Tensor:
        h = F.relu(self.conv1(inputs.x, inputs.relations))  # [n, z]
        return inputs.pick(self.conv2(drop(h, self.dropout, self.training), inputs.relations))  # [b, C]


def prepare(graph: Graph, config: WRGATConfig, columns: ColumnScale | None = None) -> RelationalInputs:
    require_moderate_weights(graph, "wrgat")
    matrices = [adjacency(graph, config.direction, self_loops=True)]
    if config.rings:
        distances = structural_distances(adjacency(graph, "undirected"), config.rings, config.candidates)
        # a source shares out weight 1; the targets read it, so their rows are the columns
        matrices += [sp.csr_array(relation.T) for relation in distances.relations()]
    for matrix in matrices:
        matrix.sort_indices()
    return RelationalInputs(
        x=features(graph, config.feature_norm, columns), relations=tuple(Relation.of(matrix) for matrix in matrices)
    )


def build(config: WRGATConfig, graph: Graph, inputs: RelationalInputs) -> WRGAT:
    R = len(inputs.relations)
    return WRGAT(inputs.x.shape[1], config.hidden_channels, graph.num_classes, R, config.dropout, config.mean)


def space(trial: Any) -> dict[str, Any]:
    return {
        "lr": trial.suggest_categorical("lr", [0.005, 0.01, 0.05]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True),
        "dropout": trial.suggest_float("dropout", 0.1, 0.9, step=0.1),
        "hidden_channels": trial.suggest_categorical("hidden_channels", [32, 64, 128]),
        "rings": trial.suggest_int("rings", 0, 3),
    }


MODEL = Model("wrgat", "WRGAT", WRGATConfig, prepare, build, space)
