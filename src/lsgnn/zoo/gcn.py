"""GCN: "Semi-Supervised Classification with Graph Convolutional Networks" (Kipf and Welling, ICLR 2017).

Against the official code: in nothing but the trainer. A self loop of the data counts once, as in A + I with those of
the data left out; the original was made for graphs without them and would count it twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, gcn_inputs
from lsgnn.zoo.layers import FeatureLinear, decay_only, drop
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class GCNConfig(BaselineConfig):
    """Settings of GCN."""

    num_layers: int = 2  # ≥ 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("num_layers", self.num_layers >= 1, "at least 1")


class GCN(nn.Module):
    r"""Graph convolutional network

    .. math::
        \hat Y = \hat P\,\mathrm{ReLU}(\hat P X W_1) W_2, \qquad
        \hat P = \tilde D^{-1/2} \tilde A \tilde D^{-1/2}, \; \tilde A = A + I.

    No biases, and weight decay on the first layer alone, as in the original code.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_layers: graph convolutions.
        dropout: before every layer.
    """

    def __init__(
        self, in_channels: int, hidden_channels: int, out_channels: int, num_layers: int = 2, dropout: float = 0.5
    ) -> None:
        super().__init__()
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), out_channels]
        self.layers = nn.ModuleList(FeatureLinear(d, z, bias=False) for d, z in pairwise(widths))
        self.dropout = dropout

    def reset_parameters(self) -> None:
        for layer in self.layers:
            layer.reset_parameters()  # type: ignore[operator]

    def parameter_groups(self, weight_decay: float) -> list[dict[str, Any]]:
        return decay_only(self, self.layers[0].parameters(), weight_decay)

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        h: SparseMatrix | Tensor = inputs.x
        for layer in self.layers:
            out = inputs.adj @ layer(drop(h, self.dropout, self.training))  # narrow first, then propagate
            h = F.relu(out)
        return inputs.pick(out)  # [b, C]


def build(config: GCNConfig, graph: Graph, inputs: AdjacencyInputs) -> GCN:
    return GCN(inputs.x.shape[1], config.hidden_channels, graph.num_classes, config.num_layers, config.dropout)


def space(trial: Any) -> dict[str, Any]:
    return {
        "lr": trial.suggest_categorical("lr", [0.002, 0.01, 0.05]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.3, 0.5, 0.7]),
        "hidden_channels": trial.suggest_categorical("hidden_channels", [16, 64, 128]),
    }


MODEL = Model("gcn", "GCN", GCNConfig, gcn_inputs, build, space)
