"""Twin look-up: copies the label of a training node that has the very same neighbours; learns nothing.

Where it scores high, a graph holds duplicates, and any model that reads out-links can find them (Platonov et al.,
ICLR 2023, for Chameleon and Squirrel).

Against the official code: there is none; the idea is in Platonov et al., the vote and its ties are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from lsgnn.config import Direction, TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency
from lsgnn.train.engine import Engine
from lsgnn.train.loop import OnEpoch
from lsgnn.train.trained import Trained
from lsgnn.zoo.inputs import NodeGroups
from lsgnn.zoo.majority import build, class_shares, counted, space
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class TwinLookupConfig(TrainingConfig):
    """Settings of the twin look-up; training settings play no part."""

    direction: Direction = "out"  # whose neighbours must agree
    self_loops: bool = False  # True: a node with a self loop is its own neighbour

    @property
    def tied_to_graph(self) -> str:
        return "a table of its own nodes' neighbour lists"


@dataclass(frozen=True)
class TwinLookup(Model[TwinLookupConfig]):
    """Majority vote among the training twins of a node, else the majority class of all training nodes."""

    def train(
        self,
        graph: Graph,
        inputs: NodeGroups,
        split: Split,
        config: TwinLookupConfig,
        *,
        engine: Engine = "auto",
        device: str = "cpu",
        on_epoch: OnEpoch | None = None,
    ) -> Trained:
        prior, group = class_shares(graph, split), inputs.group.numpy()
        votes = np.zeros((inputs.num_groups, graph.num_classes))  # the last row is that of nodes without neighbours
        voters = np.flatnonzero(split.train & (group < inputs.num_groups - 1))
        np.add.at(votes, (group[voters], graph.y[voters]), 1.0)
        # the prior weighs as much as one vote: it decides where there is none and breaks ties, no more
        return counted((votes + prior) / (votes.sum(axis=1, keepdims=True) + 1))


def prepare(graph: Graph, config: TwinLookupConfig, columns: ColumnScale | None = None) -> NodeGroups:
    """Nodes with equal neighbour sets are a group; the last one is that of the nodes without neighbours."""
    A = adjacency(graph, config.direction, config.self_loops)
    numbers: dict[bytes, int] = {}
    group = np.full(graph.num_nodes, -1)
    for i in range(graph.num_nodes):
        neighbours = A.indices[A.indptr[i] : A.indptr[i + 1]]
        if len(neighbours):
            group[i] = numbers.setdefault(neighbours.tobytes(), len(numbers))
    return grouped(group)


def grouped(group: NDArray[np.int64]) -> NodeGroups:
    """Groups by their numbers [n], -1 for nodes that belong to none: these become the last group."""
    num_groups = int(group.max(initial=-1)) + 2
    return NodeGroups(torch.from_numpy(np.where(group < 0, num_groups - 1, group)), num_groups)


MODEL = TwinLookup(
    "twin_lookup",
    "Twin look-up",
    TwinLookupConfig,
    prepare,
    build,
    space,
    tunable=False,
    learns=False,
    reads_columns=False,
)
