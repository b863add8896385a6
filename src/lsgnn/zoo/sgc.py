"""SGC: "Simplifying Graph Convolutional Networks" (Wu et al., ICML 2019).

Against the official code: in nothing but the trainer, which keeps the best of the 100 epochs where the original takes
the last. Self loops of the data are kept beside the added ones, and the repository's tuned decays are presets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.irdc import powers
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, features, gcn_filter
from lsgnn.zoo.layers import DefaultLinear, drop
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class SGCConfig(BaselineConfig):
    """Settings of SGC; `hidden_channels` plays no part."""

    K: int = 2  # ≥ 1 hops
    lr: float = 0.2
    weight_decay: float = 5e-6
    dropout: float = 0.0
    epochs: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("K", self.K >= 1, "at least 1")


@dataclass(frozen=True, kw_only=True)
class SGCInputs(NodeInputs):
    """Dense features come propagated; sparse ones do not, because P̂ᴷ (X W) costs far less than a full P̂ᴷ X."""

    hops_to_go: int  # products still to do
    adj: SparseMatrix


class SGC(nn.Module):
    r"""Simple graph convolution: a linear model on smoothed features

    .. math::
        \hat Y = \hat P^K X W + b, \qquad \hat P = \tilde D^{-1/2} (A + I) \tilde D^{-1/2}.

    Args:
        in_channels: d.
        out_channels: C.
        dropout: of the input.
    """

    def __init__(self, in_channels: int, out_channels: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.linear = DefaultLinear(in_channels, out_channels)
        self.dropout = dropout

    def reset_parameters(self) -> None:
        self.linear.reset_parameters()

    def forward(self, inputs: SGCInputs) -> Tensor:
        h = drop(inputs.x, self.dropout, self.training) @ self.linear.weight
        for _ in range(inputs.hops_to_go):
            h = inputs.adj @ h
        assert self.linear.bias is not None
        return inputs.pick(h) + self.linear.bias  # [b, C]


def prepare(graph: Graph, config: SGCConfig, columns: ColumnScale | None = None) -> SGCInputs:
    x, adj = (
        features(graph, config.feature_norm, columns),
        SparseMatrix.of(gcn_filter(graph, config.direction, raw_self_loops=True)),
    )
    if isinstance(x, SparseMatrix):
        return SGCInputs(x=x, adj=adj, hops_to_go=config.K)
    return SGCInputs(x=powers(lambda h: adj @ h, x, config.K)[-1], adj=adj, hops_to_go=0)


def build(config: SGCConfig, graph: Graph, inputs: SGCInputs) -> SGC:
    return SGC(inputs.x.shape[1], graph.num_classes, config.dropout)


def space(trial: Any) -> dict[str, Any]:
    return {
        "K": trial.suggest_categorical("K", [1, 2, 3, 5]),
        "lr": trial.suggest_categorical("lr", [0.01, 0.05, 0.2]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-9, 1e-3, log=True),
    }


MODEL = Model("sgc", "SGC", SGCConfig, prepare, build, space)
