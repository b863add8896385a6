"""CPGNN: "Graph Neural Networks with Heterophily" (Zhu et al., AAAI 2021), with an MLP as its prior (CPGNN-MLP).

Against the official code: in nothing but the trainer. Beliefs are summed over the plain adjacency, the prior has no
biases and no dropout of its input, Ĥ starts from random-walk means, is not decayed, and its row sums are penalised;
once beliefs are propagated both penalties count twice, as the released loop adds them twice. Where no epoch of belief
propagation beats the prior on validation nodes, the prior is what is kept. Of equal validation accuracies we keep the
lower loss, the original the last (of the prior) or the first (with propagation).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.extremes import require_moderate_weights
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.train.engine import Engine, require_device
from lsgnn.train.loop import OnEpoch, train_torch
from lsgnn.train.seeded import seeded
from lsgnn.train.trained import Epoch, Trained
from lsgnn.zoo.compatibility import compatibility
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, features
from lsgnn.zoo.layers import FeatureMLP, decay_only
from lsgnn.zoo.protocol import Model
from lsgnn.zoo.walks import random_walk

TWICE = 2.0  # the released loop adds its penalties twice once it propagates


@dataclass(frozen=True, kw_only=True)
class CPGNNConfig(BaselineConfig):
    """Settings of CPGNN."""

    rounds: int = 1  # ≥ 0, belief propagation rounds
    adjacency: Literal["plain", "symmetric"] = "plain"  # plain sums beliefs over neighbours as they are
    weight_decay: float = 1e-3  # ≥ 0, of the prior; the paper's L2 of 5e-4 in Keras, which has no ½ in it
    pretrain_epochs: int = 400  # ≥ 0, epochs of the prior alone, before `epochs` of both

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("rounds", self.rounds >= 0, "at least 0")
        self._require("pretrain_epochs", self.pretrain_epochs >= 0, "at least 0")


@dataclass(frozen=True, kw_only=True)
class BeliefInputs(AdjacencyInputs):
    walk: SparseMatrix  # D^-1 A [n, n]: what Ĥ starts from


class CPGNN(nn.Module):
    r"""Belief propagation with a learned compatibility of classes

    .. math::
        B^{(k)} = E + A B^{(k-1)} \hat H, \qquad E = B^{(0)} = \mathrm{softmax}(\mathrm{MLP}(X)) - 1/C, \qquad
        \hat Y = B^{(rounds)}.

    Args:
        in_channels: d.
        hidden_channels: z, of the prior.
        out_channels: C.
        rounds: of propagation.
        dropout: before the second layer of the prior.
    """

    def __init__(
        self, in_channels: int, hidden_channels: int, out_channels: int, rounds: int = 1, dropout: float = 0.5
    ) -> None:
        super().__init__()
        widths = (in_channels, hidden_channels, out_channels)
        self.prior = FeatureMLP(*widths, dropout=dropout, bias=False, drop_input=False)
        self.H = nn.Parameter(torch.zeros(out_channels, out_channels))
        self.rounds = rounds

    def reset_parameters(self) -> None:
        self.prior.reset_parameters()
        nn.init.zeros_(self.H)

    def parameter_groups(self, weight_decay: float) -> list[dict[str, Any]]:
        return decay_only(self, self.prior.parameters(), TWICE * weight_decay)

    def penalty(self) -> Tensor:
        """What keeps the rows of Ĥ near a sum of zero."""
        return TWICE * self.H.sum(dim=1).abs().sum()

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        E = F.softmax(self.prior(inputs.x), dim=-1) - 1 / len(self.H)  # [n, C]
        B = E
        for _ in range(self.rounds):
            B = E + inputs.adj @ (B @ self.H)
        return inputs.pick(B)  # [b, C]


class Prior(nn.Module):
    """The prior alone, as it is trained before beliefs are propagated; it is judged by what it believes, as Ĥ = 0."""

    def __init__(self, mlp: FeatureMLP) -> None:
        super().__init__()
        self.mlp = mlp

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        logits = inputs.pick(self.mlp(inputs.x))  # [b, C]
        return logits if self.training else F.softmax(logits, dim=-1) - 1 / logits.shape[1]


@dataclass(frozen=True)
class CPGNNEntry(Model[CPGNNConfig]):
    """Trains the prior, takes its best epoch and the training labels for a start of Ĥ, then trains both.

    The epochs of the prior come first in the history. It is what is kept, with Ĥ = 0, where propagation gains nothing.
    """

    def train(
        self,
        graph: Graph,
        inputs: BeliefInputs,
        split: Split,
        config: CPGNNConfig,
        *,
        engine: Engine = "auto",
        device: str = "cpu",
        on_epoch: OnEpoch | None = None,
    ) -> Trained:
        self.require_engine(engine)
        require_device(device)
        self._require_memory(graph, config)
        y, inputs = split.visible(graph.y), inputs.to(device)
        with seeded(config.seed):
            module = build(config, graph, inputs).to(device)
            prior = self._prior(module, inputs, y, split, config, on_epoch)
            if prior is not None and len(prior.history) < config.pretrain_epochs:  # a callback wants to end it
                return prior
            with torch.no_grad():
                beliefs = F.softmax(module.prior.eval()(inputs.x), dim=-1)
                labelled = torch.from_numpy(split.train).to(device)
                module.H.copy_(compatibility(inputs.walk, beliefs, labelled, torch.from_numpy(y).to(device)))
            return joined(prior, train_torch(module, inputs, y, split, config, _later(on_epoch, config)), config)

    def _prior(
        self,
        module: CPGNN,
        inputs: BeliefInputs,
        y: NDArray[np.int64],
        split: Split,
        config: CPGNNConfig,
        on_epoch: OnEpoch | None,
    ) -> Trained | None:
        """Trains the prior in place; the weights are those of the whole model without propagation."""
        if not config.pretrain_epochs:
            return None
        alone = config.replace(epochs=config.pretrain_epochs, patience=0)
        trained = train_torch(Prior(module.prior), inputs, y, split, alone, on_epoch)
        state = {f"prior.{name.removeprefix('mlp.')}": tensor for name, tensor in trained.state_dict.items()}
        return dataclasses.replace(trained, state_dict=state | {"H": torch.zeros(module.H.shape)})


def joined(prior: Trained | None, both: Trained, config: CPGNNConfig) -> Trained:
    """One training run of two parts, with the weights of the better one; of equal ones the prior is simpler."""
    if prior is None:
        return both
    later = [_shifted(line, config) for line in both.history]
    best = [part.history[part.best_epoch - 1] for part in (prior, both)]
    by_loss = config.select_by == "val_loss"
    scores = [-line["val_loss"] if by_loss else line[config.select_by] for line in best]
    kept, epoch = prior, prior.best_epoch
    if scores[1] > scores[0]:
        kept, epoch = both, both.best_epoch + config.pretrain_epochs
    return Trained(kept.state_dict, epoch, [*prior.history, *later], prior.seconds + both.seconds)


def _shifted(line: Epoch, config: CPGNNConfig) -> Epoch:
    return {**line, "epoch": line["epoch"] + config.pretrain_epochs}


def _later(on_epoch: OnEpoch | None, config: CPGNNConfig) -> OnEpoch | None:
    """The same callback, told of epochs as they are numbered in the whole history."""
    return None if on_epoch is None else lambda line: on_epoch(_shifted(line, config))


def prepare(graph: Graph, config: CPGNNConfig, columns: ColumnScale | None = None) -> BeliefInputs:
    A = adjacency(graph, config.direction)
    if config.adjacency == "plain":
        require_moderate_weights(graph, f"adjacency={config.adjacency!r}")
    adj = normalized_adjacency(A, "plain") if config.adjacency == "symmetric" else A
    x = features(graph, config.feature_norm, columns)
    return BeliefInputs(x=x, adj=SparseMatrix.of(adj), walk=SparseMatrix.of(random_walk(A)))


def build(config: CPGNNConfig, graph: Graph, inputs: BeliefInputs) -> CPGNN:
    return CPGNN(inputs.x.shape[1], config.hidden_channels, graph.num_classes, config.rounds, config.dropout)


def space(trial: Any) -> dict[str, Any]:
    return {
        "rounds": trial.suggest_categorical("rounds", [1, 2]),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5]),
        "adjacency": trial.suggest_categorical("adjacency", ["plain", "symmetric"]),
        "lr": trial.suggest_categorical("lr", [0.002, 0.01, 0.05]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-5, 5e-3, log=True),
    }


MODEL = CPGNNEntry("cpgnn", "CPGNN", CPGNNConfig, prepare, build, space)
