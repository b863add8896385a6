"""Geom-GCN: "Geom-GCN: Geometric Graph Convolutional Networks" (Pei et al., ICLR 2020).

Against the official code: the network is the same, and with a neighbourhood file of its repository so is its input.
Without one we place the nodes ourselves: `isomap` (the files called MDS, variant I), `poincare` (variant P, by gensim)
and `structural`, which stands in for struc2vec (variant S). Links are read in both directions, as in those files. The
learning-rate schedule is not part of our trainer. The original means to test the best epoch and tests the last: we test
the best.
"""

from __future__ import annotations

import dataclasses
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
from lsgnn.propagate.filters import adjacency
from lsgnn.zoo.geom_gcn_neighbourhoods import Embedding, Neighbourhoods, neighbourhoods, read_neighbourhoods
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, features
from lsgnn.zoo.layers import FeatureLinear, drop
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class GeomGCNConfig(BaselineConfig):
    """Settings of Geom-GCN."""

    embedding: Embedding = "isomap"
    landmarks: int = 1024  # ≥ 4, nodes that Isomap measures distances from
    neighbourhood_file: str = ""  # a file of the original repository, instead of an embedding of ours
    embedding_seed: int = 0  # of the landmarks, of ties, and of the Poincaré embedding

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("landmarks", self.landmarks >= 4, "at least 4")
        self._require("embedding_seed", self.embedding_seed >= 0, "at least 0")


@dataclass(frozen=True, kw_only=True)
class GroupInputs(NodeInputs):
    groups: tuple[SparseMatrix, ...]  # nine matrices [n, n] that share the edges out among them

    def to(self, device: torch.device | str) -> Self:
        return dataclasses.replace(super().to(device), groups=tuple(g.to(device) for g in self.groups))


class GeomGCNConv(nn.Module):
    r"""Bi-level aggregation: within each group r, then over the groups

    .. math::
        h_v' = \Big\|_r \sum_{u \in N_r(v)} (\deg v \deg u)^{-1/2}\, W_r h_u,

    where the groups are 2 spaces × 4 quadrants and the node itself, and deg counts the neighbours of both spaces.

    Args:
        in_channels: width of h.
        out_channels: width of each group.
        num_groups: 9.
        concat: False takes the mean over the groups.
    """

    def __init__(self, in_channels: int, out_channels: int, num_groups: int = 9, concat: bool = True) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.concat = in_channels, out_channels, concat
        self.linear = FeatureLinear(in_channels, num_groups * out_channels, bias=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for weight in torch.split(self.linear.weight, self.out_channels, dim=1):
            nn.init.xavier_uniform_(weight)

    def forward(self, h: SparseMatrix | Tensor, groups: tuple[SparseMatrix, ...]) -> Tensor:
        narrow = torch.split(self.linear(h), self.out_channels, dim=1)  # each [n, z]
        messages = [group @ part.contiguous() for group, part in zip(groups, narrow, strict=True)]
        return torch.cat(messages, dim=-1) if self.concat else torch.stack(messages).mean(dim=0)


class GeomGCN(nn.Module):
    r"""Two layers, :math:`\hat Y = \mathrm{conv}_2(\mathrm{ReLU}(\mathrm{conv}_1(X)))`: the first concatenates its
    groups, the second averages them.

    Args:
        in_channels: d.
        hidden_channels: z, of each group.
        out_channels: C.
        dropout: before each layer.
    """

    def __init__(self, in_channels: int, hidden_channels: int, out_channels: int, dropout: float = 0.5) -> None:
        super().__init__()
        groups = Neighbourhoods.NUM_GROUPS
        self.conv1 = GeomGCNConv(in_channels, hidden_channels, groups)
        self.conv2 = GeomGCNConv(groups * hidden_channels, out_channels, groups, concat=False)
        self.dropout = dropout

    def reset_parameters(self) -> None:
        self.conv1.reset_parameters()
        self.conv2.reset_parameters()

    def forward(self, inputs: GroupInputs) -> Tensor:
        h = F.relu(self.conv1(drop(inputs.x, self.dropout, self.training), inputs.groups))  # [n, 9z]
        h = self.conv2(F.dropout(h, self.dropout, self.training), inputs.groups)
        return inputs.pick(h)  # [b, C]


def group_matrices(edges: Neighbourhoods, n: int) -> list[sp.csr_array]:
    """Nine matrices [n, n] with (deg v · deg u)^-1/2 at the edges of each group; deg counts a node's edges of all."""
    scale = 1 / np.sqrt(np.bincount(edges.v, minlength=n))  # at least the self loop
    values = (scale[edges.v] * scale[edges.u]).astype(np.float32)
    matrices = []
    for group in range(Neighbourhoods.NUM_GROUPS):
        own = edges.group == group
        matrices.append(sp.csr_array((values[own], (edges.v[own], edges.u[own])), shape=(n, n)))
        matrices[-1].sort_indices()
    return matrices


def prepare(graph: Graph, config: GeomGCNConfig, columns: ColumnScale | None = None) -> GroupInputs:
    n = graph.num_nodes
    if config.neighbourhood_file:
        edges = read_neighbourhoods(config.neighbourhood_file, n)
    else:
        A = adjacency(graph, config.direction)
        edges = neighbourhoods(A, config.embedding, config.landmarks, config.embedding_seed)
    groups = tuple(SparseMatrix.of(matrix) for matrix in group_matrices(edges, n))
    return GroupInputs(x=features(graph, config.feature_norm, columns), groups=groups)


def build(config: GeomGCNConfig, graph: Graph, inputs: GroupInputs) -> GeomGCN:
    return GeomGCN(inputs.x.shape[1], config.hidden_channels, graph.num_classes, config.dropout)


def space(trial: Any) -> dict[str, Any]:
    return {
        "embedding": trial.suggest_categorical("embedding", ["isomap", "spectral", "structural"]),
        "hidden_channels": trial.suggest_categorical("hidden_channels", [16, 32, 48, 64]),
        "lr": trial.suggest_categorical("lr", [0.01, 0.05]),
        "weight_decay": trial.suggest_categorical("weight_decay", [5e-6, 5e-5, 5e-4]),
        "dropout": trial.suggest_categorical("dropout", [0.3, 0.5, 0.7]),
    }


MODEL = Model("geom_gcn", "Geom-GCN", GeomGCNConfig, prepare, build, space)
