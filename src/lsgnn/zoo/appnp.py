"""APPNP: "Predict then Propagate: Graph Neural Networks meet Personalized PageRank" (Gasteiger et al., ICLR 2019).

Against the official code: in nothing but the trainer. No biases, L2 on the first layer alone, the filter's entries
dropped anew in each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from lsgnn.graph.graph import Graph
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, gcn_inputs
from lsgnn.zoo.layers import DefaultLinear, FeatureMLP, decay_only
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class APPNPConfig(BaselineConfig):
    """Settings of APPNP."""

    K: int = 10  # ≥ 1 steps
    alpha: float = 0.1  # [0, 1], teleport probability
    adj_dropout: float = 0.5  # [0, 1), of the filter's entries, drawn anew in each step
    weight_decay: float = 5e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("K", self.K >= 1, "at least 1")
        self._require("alpha", 0 <= self.alpha <= 1, "between 0 and 1")
        self._require("adj_dropout", 0 <= self.adj_dropout < 1, "at least 0 and below 1")


class APPNP(nn.Module):
    r"""Personalised PageRank over the predictions of an MLP

    .. math::
        Z^{(0)} = H = \mathrm{MLP}(X), \qquad Z^{(k+1)} = (1-\alpha) \hat P Z^{(k)} + \alpha H, \qquad
        \hat Y = Z^{(K)}.

    No biases, and weight decay on the first layer alone, as in the original code.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        K: steps.
        alpha: α.
        dropout: before both layers of the MLP.
        adj_dropout: of the filter's entries.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        K: int = 10,
        alpha: float = 0.1,
        dropout: float = 0.5,
        adj_dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.mlp = FeatureMLP(
            in_channels, hidden_channels, out_channels, dropout=dropout, bias=False, linear=DefaultLinear
        )
        self.K, self.alpha, self.adj_dropout = K, alpha, adj_dropout

    def reset_parameters(self) -> None:
        self.mlp.reset_parameters()

    def parameter_groups(self, weight_decay: float) -> list[dict[str, Any]]:
        return decay_only(self, self.mlp.first_layer, weight_decay)

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        h = z = self.mlp(inputs.x)  # [n, C]
        for _ in range(self.K):
            z = (1 - self.alpha) * (inputs.adj.dropout(self.adj_dropout, self.training) @ z) + self.alpha * h
        return inputs.pick(z)


def build(config: APPNPConfig, graph: Graph, inputs: AdjacencyInputs) -> APPNP:
    return APPNP(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.K,
        config.alpha,
        config.dropout,
        config.adj_dropout,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "alpha": trial.suggest_categorical("alpha", [0.1, 0.2, 0.5, 0.9]),
        "lr": trial.suggest_categorical("lr", [0.002, 0.01, 0.05]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5, 0.7]),
        "adj_dropout": trial.suggest_categorical("adj_dropout", [0.0, 0.5]),
    }


MODEL = Model("appnp", "APPNP", APPNPConfig, gcn_inputs, build, space)
