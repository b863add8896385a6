"""CPGNN: "Graph Neural Networks with Heterophily" (Zhu et al., AAAI 2021), with an MLP as its prior (CPGNN-MLP)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.extremes import require_moderate_weights
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, features
from lsgnn.zoo.layers import FeatureMLP
from lsgnn.zoo.protocol import Model

SINKHORN_ROUNDS = 100


@dataclass(frozen=True, kw_only=True)
class CPGNNConfig(BaselineConfig):
    """Settings of CPGNN."""

    rounds: int = 1  # ≥ 0, belief propagation rounds
    adjacency: Literal["symmetric", "plain"] = "symmetric"  # plain sums beliefs over neighbours as they are
    pretrain_epochs: int = 200  # ≥ 0, epochs of the prior alone, before the first epoch that counts

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("rounds", self.rounds >= 0, "at least 0")
        self._require("pretrain_epochs", self.pretrain_epochs >= 0, "at least 0")


def sinkhorn(H: Tensor, rounds: int = SINKHORN_ROUNDS) -> Tensor:
    """A positive matrix scaled until rows and columns sum to one."""
    for _ in range(rounds):
        H = H / H.sum(dim=1, keepdim=True)
        H = H / H.sum(dim=0, keepdim=True)
    return H


def compatibility(adj: SparseMatrix, beliefs: Tensor, index: Tensor, y: Tensor) -> Tensor:
    r"""How often classes meet along edges, :math:`\hat H` [C, C], from the labels y of the nodes `index`.

    The mean belief of the neighbours of each class's nodes, made doubly stochastic and symmetric, minus 1/C.
    Nodes with a label count with it, the others with their prior.
    """
    C = beliefs.shape[1]
    known = F.one_hot(y, C).to(beliefs.dtype)
    beliefs = beliefs.index_copy(0, index, known)
    H = known.t() @ (adj @ beliefs)[index] + 1e-6  # a pair of classes that never meets still needs a positive entry
    H = sinkhorn(H)
    return (H + H.t()) / 2 - 1 / C


class CPGNN(nn.Module):
    r"""Belief propagation with a learned compatibility of classes

    .. math::
        B^{(k)} = E + A B^{(k-1)} \hat H, \qquad E = B^{(0)} = \mathrm{softmax}(\mathrm{MLP}(X)) - 1/C, \qquad
        \hat Y = B^{(rounds)}.

    The prior is trained alone first, inside the first training step, and :math:`\hat H` starts from the training labels
    and that prior. Its rows are centred, which the original code asks for by a penalty.

    Args:
        in_channels: d.
        hidden_channels: z, of the prior.
        out_channels: C.
        rounds: of propagation.
        dropout: before each layer of the prior.
        pretrain_epochs: of the prior alone.
        lr, weight_decay: of that pre-training.
        y: labels [n]; those of the nodes it trains on are read.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        rounds: int = 1,
        dropout: float = 0.5,
        pretrain_epochs: int = 200,
        lr: float = 0.01,
        weight_decay: float = 5e-4,
        *,
        y: Tensor,
    ) -> None:
        super().__init__()
        self.prior = FeatureMLP(in_channels, hidden_channels, out_channels, 2, dropout)
        self.H = nn.Parameter(torch.zeros(out_channels, out_channels))
        self.rounds, self.pretrain_epochs, self.lr, self.weight_decay = rounds, pretrain_epochs, lr, weight_decay
        self.started: Tensor
        self.y: Tensor
        self.register_buffer("started", torch.tensor(False))
        self.register_buffer("y", y, persistent=False)

    def reset_parameters(self) -> None:
        self.prior.reset_parameters()
        nn.init.zeros_(self.H)
        self.started.fill_(False)

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        if self.training and not self.started:
            self._start(inputs)
        H = self.H - self.H.mean(dim=1, keepdim=True)
        E = F.softmax(self.prior(inputs.x), dim=-1) - 1 / len(H)  # [n, C]
        B = E
        for _ in range(self.rounds):
            B = E + inputs.adj @ (B @ H)
        return inputs.pick(B)  # [b, C]

    @torch.enable_grad()
    def _start(self, inputs: AdjacencyInputs) -> None:
        """Pre-trains the prior on the training nodes and sets Ĥ from what it believes."""
        index = torch.arange(len(self.y)) if inputs.index is None else inputs.index
        y = self.y[index]
        optimizer = torch.optim.Adam(self.prior.parameters(), lr=self.lr, weight_decay=self.weight_decay)
        for _ in range(self.pretrain_epochs):
            optimizer.zero_grad()
            F.cross_entropy(self.prior(inputs.x)[index], y).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            beliefs = F.softmax(self.prior.eval()(inputs.x), dim=-1)
            self.H.copy_(compatibility(inputs.adj, beliefs, index, y))
        self.prior.train()
        self.started.fill_(True)


def prepare(graph: Graph, config: CPGNNConfig, columns: ColumnScale | None = None) -> AdjacencyInputs:
    A = adjacency(graph, config.direction)
    if config.adjacency != "symmetric":
        require_moderate_weights(graph, f"adjacency={config.adjacency!r}")
    adj = normalized_adjacency(A, "plain") if config.adjacency == "symmetric" else A
    return AdjacencyInputs(x=features(graph, config.feature_norm, columns), adj=SparseMatrix.of(adj))


def build(config: CPGNNConfig, graph: Graph, inputs: AdjacencyInputs) -> CPGNN:
    return CPGNN(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.rounds,
        config.dropout,
        config.pretrain_epochs,
        config.lr,
        config.weight_decay,
        y=torch.from_numpy(graph.y),
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "rounds": trial.suggest_categorical("rounds", [1, 2]),
        "adjacency": trial.suggest_categorical("adjacency", ["symmetric", "plain"]),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5]),
        "lr": trial.suggest_categorical("lr", [0.002, 0.01, 0.05]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-5, 5e-3, log=True),
    }


MODEL = Model("cpgnn", "CPGNN", CPGNNConfig, prepare, build, space)
