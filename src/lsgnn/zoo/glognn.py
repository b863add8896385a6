"""GloGNN and GloGNN++: "Finding Global Homophily in Graph Neural Networks When Meeting Heterophily"
(Li et al., ICML 2022), in linear time.

Against the official code: only the C × C system is solved in double precision, there everything is; and it is solved
directly where the original expands an inverse, which is the same. The original tests the last epoch: we test the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, features
from lsgnn.zoo.layers import DefaultLinear
from lsgnn.zoo.protocol import Model
from lsgnn.zoo.walks import random_walk


@dataclass(frozen=True, kw_only=True)
class GloGNNConfig(BaselineConfig):
    """Settings of GloGNN."""

    plus_plus: bool = False
    num_layers: int = 2  # ≥ 1
    hops: int = 2  # m ≥ 1, powers of Ā in the penalty
    alpha: float = 0.0  # ≥ 0, weight of ‖Z‖²
    beta: float = 1.0  # ≥ 0, weight of the penalty towards the hops; α + β > 0
    gamma: float = 0.0  # [0, 1), share of H(0)
    delta: float = 1.0  # [0, 1], share of the features against the adjacency

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("num_layers", "hops"):
            self._require(field, getattr(self, field) >= 1, "at least 1")
        for field in ("alpha", "beta"):
            self._require(field, getattr(self, field) >= 0, "at least 0")
        self._require("gamma", 0 <= self.gamma < 1, "at least 0 and below 1")
        self._require("delta", 0 <= self.delta <= 1, "between 0 and 1")
        if self.alpha + self.beta <= 0:
            raise InputError("alpha=0 and beta=0 leave Z free: one of them must be positive")

    @property
    def tied_to_graph(self) -> str:
        return f"delta={self.delta}, below 1, which keeps parameters of each node" if self.delta < 1 else ""


class GlobalConv(nn.Module):
    r"""One step towards global homophily

    .. math::
        H^{(l+1)} = (1-\gamma) Z^* H + \gamma H^{(0)}, \quad
        Z^* = \arg\min_Z \|H - (1-\gamma) Z H - \gamma H^{(0)}\|^2 + \alpha \|Z\|^2
              + \beta \big\|Z - \textstyle\sum_k \lambda_k \bar A^k\big\|^2.

    Z* is n × n and never formed. With :math:`Q = (1-\gamma) H\, [(1-\gamma)^2 H^\top H + (\alpha+\beta) I]^{-1}`
    (push-through: only a C × C matrix is inverted, without the cancellation of the Woodbury form)

    .. math::
        H^{(l+1)} = \big((1-\gamma) H - \gamma(1-\gamma) H^{(0)}\big) (H^\top Q)
                    + \beta \textstyle\sum_k \lambda_k \bar A^k Q + \gamma H^{(0)}.

    ++ learns a weight θ per class, :math:`Q \leftarrow Q\,\mathrm{diag}(\theta)` and
    :math:`H^\top Q \leftarrow \mathrm{diag}(\theta) H^\top Q`.

    Args:
        channels: C.
        hops: m.
        alpha, beta, gamma: as above.
        plus_plus: learn θ.
    """

    def __init__(
        self, channels: int, hops: int, alpha: float, beta: float, gamma: float, plus_plus: bool = False
    ) -> None:
        super().__init__()
        self.alpha, self.beta, self.gamma = alpha, beta, gamma
        self.lam = nn.Parameter(torch.empty(hops))
        self.theta = nn.Parameter(torch.empty(channels)) if plus_plus else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.constant_(self.lam, 1 / len(self.lam))
        if self.theta is not None:
            nn.init.constant_(self.theta, 1 / len(self.theta))

    def forward(self, H: Tensor, H0: Tensor, adj: SparseMatrix) -> Tensor:
        keep = 1 - self.gamma
        exact = H.double()  # the C × C system can be badly conditioned: α + β against n squared logits
        gram = exact.t() @ exact
        system = keep**2 * gram + (self.alpha + self.beta) * torch.eye(len(gram), dtype=gram.dtype, device=gram.device)
        Q = (keep * torch.linalg.solve(system, exact.t()).t()).to(H.dtype)  # [n, C]; the system is symmetric
        if self.theta is not None:
            Q = Q * self.theta
        T = (exact.t() @ Q.double()).to(H.dtype)  # [C, C]
        if self.theta is not None:
            T = self.theta.unsqueeze(-1) * T
        power, hops = Q, torch.zeros_like(Q)
        for weight in self.lam:
            power = adj @ power
            hops = hops + weight * power
        out: Tensor = keep * (H - self.gamma * H0) @ T + self.beta * hops + self.gamma * H0
        return out


class GloGNN(nn.Module):
    r"""Features and adjacency to class space, then `GlobalConv` steps there

    .. math::
        H^{(0)} = \mathrm{ReLU}\big(\delta (X W_X + b_X) + (1-\delta) (\bar A W_A + b_A)\big) W_2 + b_2.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_nodes: n, because W_A has a row per node (none is made for δ = 1).
        num_layers: `GlobalConv` steps; they share their weights, as in the released code.
        hops, alpha, beta, gamma, plus_plus: of `GlobalConv`.
        delta: share of the features.
        dropout: after the ReLU.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_nodes: int,
        num_layers: int = 2,
        hops: int = 2,
        alpha: float = 0.0,
        beta: float = 1.0,
        gamma: float = 0.0,
        delta: float = 1.0,
        dropout: float = 0.5,
        plus_plus: bool = False,
    ) -> None:
        super().__init__()
        self.from_x = DefaultLinear(in_channels, hidden_channels) if delta > 0 else None
        self.from_adj = DefaultLinear(num_nodes, hidden_channels) if delta < 1 else None
        self.out = DefaultLinear(hidden_channels, out_channels)
        self.conv = GlobalConv(out_channels, hops, alpha, beta, gamma, plus_plus)
        self.num_layers, self.delta, self.dropout = num_layers, delta, dropout

    def reset_parameters(self) -> None:
        for layer in self.children():
            layer.reset_parameters()  # type: ignore[operator]

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        parts = []
        if self.from_x is not None:
            parts.append(self.delta * self.from_x(inputs.x))
        if self.from_adj is not None:
            parts.append((1 - self.delta) * self.from_adj(inputs.adj))
        h = F.dropout(F.relu(torch.stack(parts).sum(dim=0)), self.dropout, self.training)  # [n, z]
        H0 = self.out(h)  # [n, C]
        H = H0
        for _ in range(self.num_layers):
            H = self.conv(H, H0, inputs.adj)
        return inputs.pick(H)


def prepare(graph: Graph, config: GloGNNConfig, columns: ColumnScale | None = None) -> AdjacencyInputs:
    A = adjacency(graph, config.direction, self_loops=True)
    walk = random_walk(sp.csr_array(A + sp.eye_array(graph.num_nodes, dtype=np.float32, format="csr")))
    return AdjacencyInputs(x=features(graph, config.feature_norm, columns), adj=SparseMatrix.of(walk))


def build(config: GloGNNConfig, graph: Graph, inputs: AdjacencyInputs) -> GloGNN:
    return GloGNN(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        graph.num_nodes,
        config.num_layers,
        config.hops,
        config.alpha,
        config.beta,
        config.gamma,
        config.delta,
        config.dropout,
        config.plus_plus,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "plus_plus": trial.suggest_categorical("plus_plus", [False, True]),
        "lr": trial.suggest_categorical("lr", [0.005, 0.01]),
        "dropout": trial.suggest_float("dropout", 0.0, 0.9, step=0.1),
        "weight_decay": trial.suggest_categorical("weight_decay", [0.0, 1e-5, 5e-5, 1e-4, 1e-3]),
        "alpha": trial.suggest_categorical("alpha", [0.0, 1.0, 10.0]),
        "beta": trial.suggest_categorical("beta", [0.01, 0.1, 1.0, 1000.0]),
        "gamma": trial.suggest_float("gamma", 0.0, 0.9, step=0.1),
        "delta": trial.suggest_float("delta", 0.0, 1.0, step=0.1),
        "num_layers": trial.suggest_int("num_layers", 1, 3),
        "hops": trial.suggest_int("hops", 1, 6),
    }


MODEL = Model("glognn", "GloGNN", GloGNNConfig, prepare, build, space)
