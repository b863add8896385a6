"""Dir-GNN: "Edge Directionality Improves Learning on Heterophilic Graphs" (Rossi et al., LoG 2023), as Dir-GCN.

Against the official code: in nothing but the trainer. `direction` turns the whole graph round, which the original has
no word for; α cannot be learned, which its presets do not do either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.config import Direction
from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency, row_sums
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, features
from lsgnn.zoo.layers import DefaultLinear
from lsgnn.zoo.protocol import Model

JumpingKnowledge = Literal["max", "cat", "none"]


@dataclass(frozen=True, kw_only=True)
class DirGNNConfig(BaselineConfig):
    """Settings of Dir-GNN, which reads both directions: `direction` says which of them α weighs."""

    direction: Direction = "out"
    num_layers: int = 3  # ≥ 1
    alpha: float = 0.5  # [0, 1], share of the neighbours in `direction`; the others get 1 - α
    jk: JumpingKnowledge = "max"  # what the output layer reads: the largest, or all, of the layers' outputs
    normalize: bool = False  # scale each layer's output to length one

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("num_layers", self.num_layers >= 1, "at least 1")
        self._require("alpha", 0 <= self.alpha <= 1, "between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class DirectedInputs(NodeInputs):
    out: SparseMatrix  # Â [n, n]: row i reads j where i→j
    into: SparseMatrix  # Âᵀ


class DirGCNConv(nn.Module):
    r"""One layer

    .. math::
        H' = \alpha (\hat A H W_{out} + b_{out}) + (1 - \alpha) (\hat A^\top H W_{in} + b_{in}), \qquad
        \hat A = D_{out}^{-1/2} A D_{in}^{-1/2}.

    Args:
        in_channels: width of H.
        out_channels: width of H'.
        alpha: share of the out-neighbours.
    """

    def __init__(self, in_channels: int, out_channels: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.linear = DefaultLinear(in_channels, 2 * out_channels, bias=False)
        self.bias = nn.Parameter(torch.empty(2, out_channels))
        self.in_channels, self.out_channels, self.alpha = in_channels, out_channels, alpha
        self.reset_parameters()

    def reset_parameters(self) -> None:
        self.linear.reset_parameters()
        bound = 1 / math.sqrt(self.in_channels)
        nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, h: SparseMatrix | Tensor, out: SparseMatrix, into: SparseMatrix) -> Tensor:
        narrow = self.linear(h)  # [n, 2z]
        W_out, W_in = narrow.chunk(2, dim=1)
        total = torch.zeros(())
        if self.alpha > 0:
            total = total + self.alpha * (out @ W_out.contiguous() + self.bias[0])
        if self.alpha < 1:
            total = total + (1 - self.alpha) * (into @ W_in.contiguous() + self.bias[1])
        return total


class DirGNN(nn.Module):
    r"""`DirGCNConv` layers, each followed by ReLU and dropout, and an output layer on what jumping knowledge keeps

    .. math::
        \hat Y = \mathrm{JK}\big(H^{(1)}, \dots, H^{(L)}\big) W + b.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_layers: L.
        alpha: share of the out-neighbours.
        jk: "max", "cat", or "none": then the last layer yields the logits itself.
        normalize: scale each H(l) to length one.
        dropout: after each layer.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 3,
        alpha: float = 0.5,
        jk: JumpingKnowledge = "max",
        normalize: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        z, L = hidden_channels, num_layers
        widths = [in_channels, *[z] * (L - 1), out_channels if jk == "none" else z]
        self.convs = nn.ModuleList(DirGCNConv(d, width, alpha) for d, width in pairwise(widths))
        self.head = None if jk == "none" else DefaultLinear(z * L if jk == "cat" else z, out_channels)
        self.jk, self.normalize, self.dropout = jk, normalize, dropout

    def reset_parameters(self) -> None:
        for layer in [*self.convs, *([] if self.head is None else [self.head])]:
            layer.reset_parameters()

    def forward(self, inputs: DirectedInputs) -> Tensor:
        h: SparseMatrix | Tensor = inputs.x
        layers = list[Tensor]()
        for number, conv in enumerate(self.convs, start=1):
            out: Tensor = conv(h, inputs.out, inputs.into)
            if self.head is not None or number < len(self.convs):
                out = F.dropout(F.relu(out), self.dropout, self.training)
                out = F.normalize(out, dim=-1) if self.normalize else out
            layers.append(out)
            h = out
        if self.head is None:
            return inputs.pick(layers[-1])
        kept = torch.stack(layers).amax(dim=0) if self.jk == "max" else torch.cat(layers, dim=-1)
        logits: Tensor = self.head(inputs.pick(kept))
        return logits  # [b, C]


def prepare(graph: Graph, config: DirGNNConfig, columns: ColumnScale | None = None) -> DirectedInputs:
    A = directed_norm(adjacency(graph, config.direction, self_loops=True))  # loops of the data stay, as in their code
    return DirectedInputs(
        x=features(graph, config.feature_norm, columns), out=SparseMatrix.of(A), into=SparseMatrix.of(sp.csr_array(A.T))
    )


def directed_norm(A: sp.csr_array) -> sp.csr_array:
    """D_out^-1/2 A D_in^-1/2 [n, n], the row sums on the left and the column sums on the right."""
    degrees = row_sums(A), row_sums(sp.csr_array(A.T))
    scale = [np.divide(1.0, np.sqrt(D), out=np.zeros_like(D), where=D > 0) for D in degrees]
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    values = (A.data * scale[0][rows] * scale[1][A.indices]).astype(np.float32)
    return sp.csr_array((values, A.indices, A.indptr), shape=A.shape)


def build(config: DirGNNConfig, graph: Graph, inputs: DirectedInputs) -> DirGNN:
    return DirGNN(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.num_layers,
        config.alpha,
        config.jk,
        config.normalize,
        config.dropout,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "lr": trial.suggest_categorical("lr", [0.001, 0.005, 0.01]),
        "hidden_channels": trial.suggest_categorical("hidden_channels", [32, 64, 128]),
        "num_layers": trial.suggest_int("num_layers", 2, 6),
        "alpha": trial.suggest_categorical("alpha", [0.0, 0.5, 1.0]),
        "jk": trial.suggest_categorical("jk", ["max", "cat", "none"]),
        "normalize": trial.suggest_categorical("normalize", [False, True]),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.2, 0.4, 0.6]),
        "weight_decay": trial.suggest_categorical("weight_decay", [0.0, 5e-4]),
    }


MODEL = Model("dir_gnn", "Dir-GNN", DirGNNConfig, prepare, build, space)
