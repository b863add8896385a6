"""MLP: the baseline that never looks at an edge, as run in "Beyond Homophily" (Zhu et al., NeurIPS 2020).

Against the official code: in nothing but the trainer. No biases, dropout before the second layer alone, L2 on the
matrices; of equal validation accuracies the original keeps the latest, we the one of the lower loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from lsgnn.graph.graph import Graph
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.zoo.inputs import BaselineConfig, features
from lsgnn.zoo.layers import FeatureMLP, decay_only, kernels
from lsgnn.zoo.protocol import Model
from lsgnn.zoo.row_inputs import RowInputs


@dataclass(frozen=True, kw_only=True)
class MLPConfig(BaselineConfig):
    """Settings of the MLP; `direction` plays no part."""

    num_layers: int = 2  # ≥ 1
    relu: bool = True  # False: linear hidden layers, which the H2GCN paper also tried
    bias: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("num_layers", self.num_layers >= 1, "at least 1")


class MLP(nn.Module):
    r"""Multi-layer perceptron

    .. math::
        \hat Y = \mathrm{ReLU}(X W_1) W_2.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_layers: linear maps in all.
        dropout: before every layer but the first.
        relu: False leaves the hidden layers linear.
        bias: in every layer.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        dropout: float = 0.5,
        relu: bool = True,
        bias: bool = False,
    ) -> None:
        super().__init__()
        widths = (in_channels, hidden_channels, out_channels)
        self.mlp = FeatureMLP(*widths, num_layers, dropout, bias, relu, drop_input=False)

    def reset_parameters(self) -> None:
        self.mlp.reset_parameters()

    def parameter_groups(self, weight_decay: float) -> list[dict[str, Any]]:
        return decay_only(self, kernels(self), weight_decay)

    def forward(self, inputs: RowInputs) -> Tensor:
        logits: Tensor = self.mlp(inputs.x)  # [b, C]
        return logits


def prepare(graph: Graph, config: MLPConfig, columns: ColumnScale | None = None) -> RowInputs:
    return RowInputs(x=features(graph, config.feature_norm, columns))


def build(config: MLPConfig, graph: Graph, inputs: RowInputs) -> MLP:
    return MLP(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.num_layers,
        config.dropout,
        config.relu,
        config.bias,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "relu": trial.suggest_categorical("relu", [True, False]),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5]),
        "lr": trial.suggest_categorical("lr", [0.002, 0.01, 0.05]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True),
        "hidden_channels": trial.suggest_categorical("hidden_channels", [64, 128]),
    }


MODEL = Model("mlp", "MLP", MLPConfig, prepare, build, space)
