"""MixHop: "Higher-Order Graph Convolutional Architectures via Sparsified Neighborhood Mixing" (Abu-El-Haija et al.,
ICML 2019).

Against the official code: the network is the one the H2GCN paper ran again (batch normalisation, ReLU, psum head); Adam
takes the place of SGD with falling steps, and weight decay that of L2 with a group lasso. Features are scaled to length
one before they are dropped, not after. In evaluation batch normalisation uses its running statistics, where
TensorFlow's layer stayed in training mode. The original breaks ties of validation accuracy by test accuracy: we do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.config import FeatureNorm
from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, gcn_inputs
from lsgnn.zoo.layers import FeatureLinear, decay_only, drop, kernels
from lsgnn.zoo.protocol import Model

MixHead = Literal["linear", "psum"]


@dataclass(frozen=True, kw_only=True)
class MixHopConfig(BaselineConfig):
    """Settings of MixHop; `hidden_channels` is the width of each power."""

    feature_norm: FeatureNorm = "l2"
    max_power: int = 2  # ≥ 0; powers 0 … max_power of the filter are mixed
    head: MixHead = "psum"  # softmax-weighted sum of the powers' own logits; linear: one more linear map
    input_dropout: float = 0.7  # [0, 1)
    dropout: float = 0.7  # [0, 1), of the hidden layer

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("max_power", self.max_power >= 0, "at least 0")
        self._require("input_dropout", 0 <= self.input_dropout < 1, "at least 0 and below 1")


class MixHopLayer(nn.Module):
    r"""Several powers of the filter side by side, :math:`H' = \big\|_{p \in \mathcal P} \hat P^p H W_p`.

    Args:
        in_channels: width of H.
        out_channels: width of each power.
        powers: which powers, in ascending order.
    """

    def __init__(self, in_channels: int, out_channels: int, powers: Sequence[int]) -> None:
        super().__init__()
        self.powers, self.out_channels = tuple(powers), out_channels
        self.linears = nn.ModuleList(FeatureLinear(in_channels, out_channels, bias=False) for _ in powers)

    def reset_parameters(self) -> None:
        for linear in self.linears:
            linear.reset_parameters()  # type: ignore[operator]

    def forward(self, x: SparseMatrix | Tensor, adj: SparseMatrix) -> Tensor:
        weight = torch.cat(list(self.linears.parameters()), dim=1)  # [d, |powers|·z]
        waiting, done, reached = x @ weight, [], 0
        for power in self.powers:  # narrow first; then one product per power for all that are still to be moved
            for _ in range(power - reached):
                waiting = adj @ waiting
            reached = power
            done.append(waiting[:, : self.out_channels])
            waiting = waiting[:, self.out_channels :]
        return torch.cat(done, dim=1)  # [n, |powers|·z]


class MixHop(nn.Module):
    r"""Two MixHop layers

    .. math::
        H = \mathrm{ReLU}\,\mathrm{BN}\Big(\big\|_{p} \hat P^p X W_p^{(1)}\Big), \qquad
        \hat Y = \sum_p \mathrm{softmax}(q)_p \hat P^p H W_p^{(2)},

    or, with `head="linear"`, :math:`\hat Y = (\|_p \hat P^p H W_p^{(2)}) W_{out} + b` with z columns each.

    Args:
        in_channels: d.
        hidden_channels: z, width of each power.
        out_channels: C.
        max_power: powers 0 … max_power are mixed.
        input_dropout: of the features.
        dropout: of the hidden layer.
        head: how the powers of the second layer become logits.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        max_power: int = 2,
        input_dropout: float = 0.7,
        dropout: float = 0.7,
        head: MixHead = "psum",
    ) -> None:
        super().__init__()
        powers = range(max_power + 1)
        width = hidden_channels * len(powers)
        self.first = MixHopLayer(in_channels, hidden_channels, powers)
        self.norm = nn.BatchNorm1d(width)
        self.second = MixHopLayer(width, hidden_channels if head == "linear" else out_channels, powers)
        self.linear = FeatureLinear(width, out_channels) if head == "linear" else None
        self.q = nn.Parameter(torch.zeros(len(powers))) if head == "psum" else None
        self.input_dropout, self.dropout = input_dropout, dropout

    def parameter_groups(self, weight_decay: float) -> list[dict[str, Any]]:
        return decay_only(self, kernels(self), weight_decay)

    def penalty(self) -> Tensor:
        """Of the shares of the powers, as in the original."""
        return torch.zeros(()) if self.q is None else 1e-3 * self.q.square().mean()

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        h = self.first(drop(inputs.x, self.input_dropout, self.training), inputs.adj)
        h = F.dropout(F.relu(self.norm(h)), self.dropout, self.training)
        h = inputs.pick(self.second(h, inputs.adj))  # [b, |powers|·z]
        if self.linear is not None:
            logits: Tensor = self.linear(h)
            return logits
        assert self.q is not None
        return torch.einsum("p,bpc->bc", self.q.softmax(0), h.view(len(h), len(self.q), -1))


def build(config: MixHopConfig, graph: Graph, inputs: AdjacencyInputs) -> MixHop:
    return MixHop(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.max_power,
        config.input_dropout,
        config.dropout,
        config.head,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "hidden_channels": trial.suggest_categorical("hidden_channels", [21, 64]),
        "lr": trial.suggest_categorical("lr", [0.002, 0.01, 0.05]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True),
        "input_dropout": trial.suggest_categorical("input_dropout", [0.0, 0.3, 0.5, 0.7]),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5, 0.7, 0.9]),
        "head": trial.suggest_categorical("head", ["linear", "psum"]),
    }


MODEL = Model("mixhop", "MixHop", MixHopConfig, gcn_inputs, build, space)
