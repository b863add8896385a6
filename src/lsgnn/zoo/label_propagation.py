"""Label propagation: "Learning with Local and Global Consistency" (Zhou et al., NeurIPS 2003).

Against the official code: there is none. The iteration, its matrix and its start are the paper's. Ours are the number
of steps, the choice of α on the validation nodes, and the class shares of the training nodes where no label arrives.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.config import Direction, SelectBy, TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.train.engine import Engine, require_device
from lsgnn.train.loop import OnEpoch, goes_on
from lsgnn.train.selection import BestEpoch, ValidationScore
from lsgnn.train.trained import Epoch, Trained
from lsgnn.zoo.inputs import AdjacencyInputs
from lsgnn.zoo.majority import class_shares, space
from lsgnn.zoo.protocol import Model

ALPHAS = (0.2, 0.5, 0.8, 0.9, 0.95, 0.99)
PRIOR = 1e-3  # what the classes' shares weigh beside the labels that arrive: they decide where none does
UNKNOWN = -1


@dataclass(frozen=True, kw_only=True)
class LabelPropagationConfig(TrainingConfig):
    """Settings of label propagation: an epoch of its history is one α of the search. Features, and what belongs to
    gradient descent, play no part."""

    direction: Direction = "undirected"  # whose labels a node reads
    select_by: SelectBy = "val_accuracy"
    search: bool = True  # validation nodes choose α; False: the one below
    alpha: float = 0.9  # (0, 1), the share that neighbours have; the rest is a node's own label
    K: int = 30  # ≥ 1 steps

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("alpha", 0 < self.alpha < 1, "between 0 and 1")
        self._require("K", self.K >= 1, "at least 1")

    @property
    def tied_to_graph(self) -> str:
        return "the labels of its own nodes"

    @property
    def tied_to_nodes(self) -> str:
        return ""  # labels reach new nodes along their edges

    @property
    def input_settings(self) -> tuple[tuple[str, Any], ...]:
        return (("direction", self.direction),)


class LabelPropagation(nn.Module):
    r"""The labels of training nodes, Y, passed on along the edges K times, each time beside a node's own

    .. math::
        F^{(0)} = Y, \qquad F^{(k+1)} = \alpha\, S F^{(k)} + (1 - \alpha)\, Y, \qquad S = D^{-1/2} A D^{-1/2}.

    Logits are logarithms of the shares of a row. Nothing is learned; labels and α are kept as buffers.

    Args:
        num_nodes: of the graph whose labels are passed on; a graph with more has them last, without labels.
        out_channels: C.
        K: steps.
    """

    labels: Tensor
    alpha: Tensor
    prior: Tensor

    def __init__(self, num_nodes: int, out_channels: int, K: int) -> None:
        super().__init__()
        self.K = K
        self.register_buffer("labels", torch.full((num_nodes,), UNKNOWN))
        self.register_buffer("alpha", torch.tensor(0.9))
        self.register_buffer("prior", torch.full((out_channels,), 1 / out_channels))

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        known = torch.where(self.labels == UNKNOWN, len(self.prior), self.labels)
        Y = F.one_hot(known, len(self.prior) + 1)[:, :-1].to(self.prior.dtype)  # [n, C], zeros where unknown
        Y = F.pad(Y, (0, 0, 0, inputs.adj.shape[0] - len(Y)))  # [n + new, C]
        reached = Y
        for _ in range(self.K):
            reached = self.alpha * (inputs.adj @ reached) + (1 - self.alpha) * Y
        shares = (reached + PRIOR * self.prior) / (reached.sum(dim=1, keepdim=True) + PRIOR)
        return inputs.pick(shares.clamp_min(1e-9).log())  # [b, C]


@dataclass(frozen=True)
class LabelPropagationEntry(Model[LabelPropagationConfig]):
    """Tries every α instead of descending a gradient."""

    def train(
        self,
        graph: Graph,
        inputs: AdjacencyInputs,
        split: Split,
        config: LabelPropagationConfig,
        *,
        engine: Engine = "auto",
        device: str = "cpu",
        on_epoch: OnEpoch | None = None,
    ) -> Trained:
        self.require_engine(engine)
        require_device(device)
        start, y = time.perf_counter(), torch.from_numpy(split.visible(graph.y))
        train, val = torch.from_numpy(split.train), torch.from_numpy(split.val)
        module = build(config, graph, inputs)
        module.labels.copy_(torch.where(train, y, UNKNOWN))
        module.prior.copy_(torch.from_numpy(class_shares(graph, split)))
        further = ValidationScore(config.select_by, y[train].numpy(), y[val].numpy())
        best, history, chosen = BestEpoch(config.select_by), list[Epoch](), config.alpha
        for epoch, alpha in enumerate(ALPHAS if config.search else (config.alpha,), start=1):
            module.alpha.fill_(alpha)
            logits = module(inputs)
            losses = [float(F.nll_loss(logits[part], y[part])) if part.any() else float("nan") for part in (train, val)]
            right = float((logits[val].argmax(dim=1) == y[val]).double().mean())
            line = Epoch(epoch=epoch, train_loss=losses[0], val_loss=losses[1], val_accuracy=right)
            history.append(further.added(line, logits[val]))
            if best.improved(history[-1]):
                chosen = alpha
            if on_epoch is not None and not goes_on(on_epoch, history[-1]):
                break
        best.require_any(config.lr)
        module.alpha.fill_(chosen)
        return Trained(dict(module.state_dict()), best.epoch, history, time.perf_counter() - start)


def prepare(graph: Graph, config: LabelPropagationConfig, columns: ColumnScale | None = None) -> AdjacencyInputs:
    S = normalized_adjacency(adjacency(graph, config.direction), "plain")
    return AdjacencyInputs(x=torch.zeros(graph.num_nodes, 0), adj=SparseMatrix.of(S))


def build(config: LabelPropagationConfig, graph: Graph, inputs: AdjacencyInputs) -> LabelPropagation:
    return LabelPropagation(graph.num_nodes, graph.num_classes, config.K)


MODEL = LabelPropagationEntry(
    "label_propagation",
    "Label propagation",
    LabelPropagationConfig,
    prepare,
    build,
    space,
    tunable=False,
    reads_columns=False,
    steps=False,  # from one α to the next
)
