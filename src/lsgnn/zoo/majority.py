"""Majority class: what a score is worth when nothing is learned at all.

Against the official code: there is none to differ from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lsgnn.config import TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.train.engine import Engine
from lsgnn.train.loop import OnEpoch
from lsgnn.train.trained import Trained
from lsgnn.zoo.inputs import NodeGroups
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class MajorityConfig(TrainingConfig):
    """Nothing to set; training settings play no part."""


def class_shares(graph: Graph, split: Split) -> NDArray[np.float64]:
    """The share of each class among the training nodes [C]."""
    counts = np.bincount(graph.y[split.train], minlength=graph.num_classes)
    return np.asarray(counts / counts.sum(), dtype=np.float64)


class GroupShares(nn.Module):
    """Logits of a node's group, looked up in a table [groups, C]; they are counted, not learned."""

    def __init__(self, num_groups: int, out_channels: int) -> None:
        super().__init__()
        self.log_shares: Tensor
        self.register_buffer("log_shares", torch.zeros(num_groups, out_channels))

    def forward(self, inputs: NodeGroups) -> Tensor:
        return self.log_shares[inputs.group]  # [b, C]


def counted(shares: NDArray[np.float64]) -> Trained:
    """Class shares [groups, C] as the weights of `GroupShares`; a class never seen gets a very small share."""
    log_shares = np.log(np.maximum(shares, 1e-9)).astype(np.float32)
    return Trained({"log_shares": torch.from_numpy(log_shares)}, best_epoch=0, history=[], seconds=0.0)


@dataclass(frozen=True)
class Majority(Model[MajorityConfig]):
    """Predicts the most frequent training class for every node (the first of several)."""

    def train(
        self,
        graph: Graph,
        inputs: NodeGroups,
        split: Split,
        config: MajorityConfig,
        *,
        engine: Engine = "auto",
        device: str = "cpu",
        on_epoch: OnEpoch | None = None,
    ) -> Trained:
        return counted(class_shares(graph, split)[None])


def prepare(graph: Graph, config: MajorityConfig, columns: ColumnScale | None = None) -> NodeGroups:
    """One group of all nodes."""
    return NodeGroups(torch.zeros(graph.num_nodes, dtype=torch.int64), 1)


def build(config: TrainingConfig, graph: Graph, inputs: NodeGroups) -> GroupShares:
    return GroupShares(inputs.num_groups, graph.num_classes)


def space(trial: Any) -> dict[str, Any]:
    return {}


MODEL = Majority(
    "majority",
    "Majority class",
    MajorityConfig,
    prepare,
    build,
    space,
    tunable=False,
    learns=False,
    reads_columns=False,
)
