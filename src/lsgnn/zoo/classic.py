"""Classic GNNs, tuned: "Classic GNNs are Strong Baselines" (Luo, Shi and Wu, NeurIPS 2024); GCN, SAGE or GAT layers.

With residual connections, normalisation and enough depth they set the bar for graphs without twins.

Against the official code: in nothing but the trainer. The presets read features as they come; without one they are
scaled (`feature_norm="standard"`), which the original leaves to its data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from lsgnn.config import FeatureNorm
from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency
from lsgnn.zoo.activation import activated, quick_dropout
from lsgnn.zoo.classic_convs import Conv, make_conv, row_means, with_self_loops
from lsgnn.zoo.edge_products import EdgePattern
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, features, gcn_filter
from lsgnn.zoo.layers import DefaultLinear
from lsgnn.zoo.protocol import Model

Norm = Literal["batch", "layer", "none"]


@dataclass(frozen=True, kw_only=True)
class ClassicConfig(BaselineConfig):
    """Settings of the classic GNNs.

    Words stay as they are under `feature_norm="standard"`, as in the paper; columns of large or mixed scale, which it
    never met, do not drown the others. The presets take features as they come. `patience` is long because small graphs
    improve late: on a split of texas, the best of 200 epochs is the 187th, and 50 epochs of patience miss it.
    """

    patience: int = 100
    feature_norm: FeatureNorm = "standard"
    conv: Conv = "gcn"
    hidden_channels: int = 128
    num_layers: int = 3  # ≥ 1
    heads: int = 1  # ≥ 1, of gat; they share hidden_channels among them
    norm: Norm = "batch"
    residual: bool = True  # add a linear map of each layer's input to its output
    jk: bool = False  # the output reads the sum of all layers rather than the last
    pre_linear: bool = False  # a linear map to hidden_channels before the first layer

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("num_layers", "heads"):
            self._require(field, getattr(self, field) >= 1, "at least 1")
        divides = self.hidden_channels % self.heads == 0
        self._require("heads", divides, f"a divisor of hidden_channels={self.hidden_channels}")

    @property
    def input_settings(self) -> tuple[tuple[str, Any], ...]:
        names = ("direction", "feature_norm", "conv", "pre_linear")
        return tuple((name, getattr(self, name)) for name in names)


@dataclass(frozen=True, kw_only=True)
class ClassicInputs(NodeInputs):
    """Features, and whom a node reads: GCN's filter, SAGE's means, or for GAT just the places."""

    neighbours: SparseMatrix | EdgePattern  # [n, n]
    smooth: Tensor | None = None  # dense features, propagated once [n, d]; None where the first layer must do it


class ClassicGNN(nn.Module):
    r"""Layers of one convolution, each with H its input,

    .. math::
        H' = \mathrm{drop}\,\mathrm{ReLU}\,\mathrm{norm}\big(\mathrm{conv}(H) + H W_r + b_r\big), \qquad
        \hat Y = H^{(L)} W + b \;\text{ or }\; \Big(\sum_l H^{(l)}\Big) W + b.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_layers: L.
        conv: "gcn", "sage" or "gat".
        heads: of gat.
        norm: "batch", "layer" or "none".
        residual: :math:`H W_r + b_r`, with weights of each layer's own.
        jk: jumping knowledge: the sum.
        pre_linear: a linear map to z and dropout come first.
        dropout: after each layer.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 3,
        conv: Conv = "gcn",
        heads: int = 1,
        norm: Norm = "batch",
        residual: bool = True,
        jk: bool = False,
        pre_linear: bool = False,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        z, make = hidden_channels, make_conv(conv, heads)
        widths = [z if pre_linear else in_channels, *[z] * (num_layers - 1)]
        normed: type[nn.Module] = {"batch": nn.BatchNorm1d, "layer": nn.LayerNorm, "none": nn.Identity}[norm]
        self.pre = DefaultLinear(in_channels, z) if pre_linear else None
        self.convs = nn.ModuleList(make(d, z) for d in widths)
        self.residuals = nn.ModuleList(DefaultLinear(d, z) for d in widths if residual)
        self.norms = nn.ModuleList(normed(z) for _ in widths)
        self.head = DefaultLinear(z, out_channels)
        self.jk, self.dropout = jk, dropout

    def reset_parameters(self) -> None:
        for part in (self.pre, *self.convs, *self.residuals, *self.norms, self.head):
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()

    def forward(self, inputs: ClassicInputs) -> Tensor:
        h: SparseMatrix | Tensor = inputs.x
        if self.pre is not None:
            h = quick_dropout(self.pre(h), self.dropout if self.training else 0.0)
        total = torch.zeros(())
        for number, (conv, norm) in enumerate(zip(self.convs, self.norms, strict=True)):
            residual = self.residuals[number] if len(self.residuals) else None
            out = conv(h, inputs.neighbours, inputs.smooth if number == 0 else None, residual)
            out = activated(norm, out, self.dropout, self.training)
            total = total + out if self.jk else out
            h = out
        logits: Tensor = self.head(inputs.pick(total))
        return logits  # [b, C]


def prepare(graph: Graph, config: ClassicConfig, columns: ColumnScale | None = None) -> ClassicInputs:
    x = features(graph, config.feature_norm, columns)
    if config.conv == "gat":
        pattern = with_self_loops(adjacency(graph, config.direction))
        return ClassicInputs(x=x, neighbours=EdgePattern.of(pattern))
    if config.conv == "sage":
        filter = row_means(with_self_loops(adjacency(graph, config.direction)))
    else:
        filter = gcn_filter(graph, config.direction)
    neighbours = SparseMatrix.of(filter)
    if isinstance(x, SparseMatrix) or config.pre_linear:  # sparse features would become dense
        return ClassicInputs(x=x, neighbours=neighbours)
    return ClassicInputs(x=x, neighbours=neighbours, smooth=neighbours @ x)


def build(config: ClassicConfig, graph: Graph, inputs: ClassicInputs) -> ClassicGNN:
    return ClassicGNN(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.num_layers,
        config.conv,
        config.heads,
        config.norm,
        config.residual,
        config.jk,
        config.pre_linear,
        config.dropout,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "lr": trial.suggest_categorical("lr", [0.001, 0.003, 0.01]),
        "weight_decay": trial.suggest_categorical("weight_decay", [0.0, 5e-5, 5e-4, 1e-3]),
        "dropout": trial.suggest_categorical("dropout", [0.2, 0.3, 0.5, 0.7]),
        "hidden_channels": trial.suggest_categorical("hidden_channels", [64, 128, 256]),
        "num_layers": trial.suggest_int("num_layers", 1, 8),
        "conv": trial.suggest_categorical("conv", ["gcn", "sage", "gat"]),
        "norm": trial.suggest_categorical("norm", ["batch", "layer", "none"]),
        "residual": trial.suggest_categorical("residual", [True, False]),
        "jk": trial.suggest_categorical("jk", [False, True]),
        "pre_linear": trial.suggest_categorical("pre_linear", [False, True]),
    }


MODEL = Model("classic", "Classic GNN", ClassicConfig, prepare, build, space)
