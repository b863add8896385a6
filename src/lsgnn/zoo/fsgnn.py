"""FSGNN: "Simplifying Approach to Node Classification in Graph Neural Networks" (Maurya et al., 2021/22).

Against the official code: in nothing but the trainer. Directed graphs are read along out-links; a degree of 0 counts as
1, so that links to nodes without out-links are not lost; self loops of the data are kept in both filters.
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

from lsgnn.config import Direction
from lsgnn.graph.graph import Features, Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, gcn_filter, plain_filter
from lsgnn.zoo.layers import DefaultLinear
from lsgnn.zoo.protocol import Model
from lsgnn.zoo.row_inputs import rows_of


@dataclass(frozen=True, kw_only=True)
class FSGNNConfig(BaselineConfig):
    """Settings of FSGNN; `weight_decay` is that of the hops' own matrices."""

    direction: Direction = "out"
    K: int = 3  # ≥ 0 hops
    hop_norm: bool = True
    weight_decay_out: float = 1e-4  # ≥ 0, of the output layer
    weight_decay_hops: float = 1e-2  # ≥ 0, of the hop weights
    lr_hops: float = 0.01  # > 0, of the hop weights

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("K", "weight_decay_out", "weight_decay_hops"):
            self._require(field, getattr(self, field) >= 0, "at least 0")
        self._require("lr_hops", self.lr_hops > 0, "positive")


@dataclass(frozen=True, kw_only=True)
class HopInputs(NodeInputs):
    """The propagated features; a node is a row of each, so a selection of nodes really is smaller."""

    hops: tuple[SparseMatrix | Tensor, ...]  # X, ÂX, P̂X, …, Â^K X, P̂^K X, each [n, d]

    def select(self, index: Tensor) -> Self:
        rows = tuple(rows_of(hop, index) for hop in self.hops)
        return dataclasses.replace(self, x=rows[0], hops=rows)

    def to(self, device: torch.device | str) -> Self:
        hops = tuple(hop.to(device) for hop in self.hops)
        return dataclasses.replace(self, x=hops[0], hops=hops)


class FSGNN(nn.Module):
    r"""Feature selection over hops: LSGNN's closest relative, with weights of the whole graph and no fusion

    .. math::
        \hat Y = \mathrm{ReLU}\Big( \big\|_c \; a_c \, \mathrm{norm}(M_c W_c + b_c) \Big) W + b, \qquad
        M = (X, \hat A X, \hat P X, \dots, \hat A^K X, \hat P^K X),

    where Â is the normalised adjacency, P̂ that of A + I, a is a softmax over the 2K+1 hops and norm
    scales a row to length one.

    Args:
        in_channels: d.
        hidden_channels: z, of each hop.
        out_channels: C.
        K: hops.
        dropout: before the output layer.
        hop_norm: False leaves out the norm.
        weight_decay_out, weight_decay_hops, lr_hops: what its optimiser groups differ in.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        K: int = 3,
        dropout: float = 0.5,
        hop_norm: bool = True,
        weight_decay_out: float = 1e-4,
        weight_decay_hops: float = 1e-2,
        lr_hops: float = 0.01,
    ) -> None:
        super().__init__()
        self.linears = nn.ModuleList(DefaultLinear(in_channels, hidden_channels) for _ in range(2 * K + 1))
        self.hop = nn.Parameter(torch.ones(2 * K + 1))  # a before its softmax
        self.out = DefaultLinear((2 * K + 1) * hidden_channels, out_channels)
        self.dropout, self.hop_norm = dropout, hop_norm
        self.weight_decay_out, self.weight_decay_hops, self.lr_hops = weight_decay_out, weight_decay_hops, lr_hops

    def reset_parameters(self) -> None:
        for layer in [*self.linears, self.out]:
            layer.reset_parameters()
        nn.init.ones_(self.hop)

    def parameter_groups(self, weight_decay: float) -> list[dict[str, Any]]:
        return [
            {"params": list(self.linears.parameters()), "weight_decay": weight_decay},
            {"params": list(self.out.parameters()), "weight_decay": self.weight_decay_out},
            {"params": [self.hop], "weight_decay": self.weight_decay_hops, "lr": self.lr_hops},
        ]

    def forward(self, inputs: HopInputs) -> Tensor:
        blocks = []
        for a, linear, hop in zip(F.softmax(self.hop, dim=0), self.linears, inputs.hops, strict=True):
            h = linear(hop)  # [b, z]
            blocks.append(a * (F.normalize(h, dim=-1) if self.hop_norm else h))
        h = F.dropout(F.relu(torch.cat(blocks, dim=-1)), self.dropout, self.training)
        logits: Tensor = self.out(h)
        return logits  # [b, C]


def prepare(graph: Graph, config: FSGNNConfig, columns: ColumnScale | None = None) -> HopInputs:
    filters = [make(graph, config.direction, raw_self_loops=True) for make in (plain_filter, gcn_filter)]
    x = normalize_features(graph.x, config.feature_norm, columns)
    hops, latest = [x], [x, x]
    for _ in range(config.K):
        latest = [S @ h for S, h in zip(filters, latest, strict=True)]
        hops += latest
    matrices = tuple(_cheapest(hop) for hop in hops)
    return HopInputs(x=matrices[0], hops=matrices)


def _cheapest(x: Features) -> SparseMatrix | Tensor:
    """Sparse while fewer than one entry in eight is set: far hops fill up."""
    if sp.issparse(x):
        csr = sp.csr_array(x)
        csr.sort_indices()
        return SparseMatrix.of(csr) if csr.nnz * 8 < csr.shape[0] * csr.shape[1] else torch.from_numpy(csr.toarray())
    return torch.from_numpy(np.asarray(x, dtype=np.float32))


def build(config: FSGNNConfig, graph: Graph, inputs: HopInputs) -> FSGNN:
    return FSGNN(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.K,
        config.dropout,
        config.hop_norm,
        config.weight_decay_out,
        config.weight_decay_hops,
        config.lr_hops,
    )


def space(trial: Any) -> dict[str, Any]:
    decays = [0.0, 1e-4, 1e-3, 1e-2, 1e-1]
    return {
        "lr": trial.suggest_categorical("lr", [0.005, 0.01]),
        "lr_hops": trial.suggest_categorical("lr_hops", [0.005, 0.01, 0.02, 0.04]),
        "weight_decay": trial.suggest_categorical("weight_decay", decays[:3]),
        "weight_decay_out": trial.suggest_categorical("weight_decay_out", decays[:3]),
        "weight_decay_hops": trial.suggest_categorical("weight_decay_hops", decays),
        "dropout": trial.suggest_categorical("dropout", [0.5, 0.6, 0.7]),
        "hop_norm": trial.suggest_categorical("hop_norm", [True, False]),
    }


MODEL = Model("fsgnn", "FSGNN", FSGNNConfig, prepare, build, space)
