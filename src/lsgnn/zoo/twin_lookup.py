"""Twin look-up: copies the label of a training node that has the very same neighbours; learns nothing.

Where it scores high, a graph holds duplicates, and any model that reads out-links can find them (Platonov et al.,
ICLR 2023, for Chameleon and Squirrel).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import Direction, TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.propagate.filters import adjacency
from lsgnn.zoo.majority import build, class_shares, log_shares, space
from lsgnn.zoo.protocol import Solution, ZooModel


@dataclass(frozen=True, kw_only=True)
class TwinLookupConfig(TrainingConfig):
    """Settings of the twin look-up; training settings play no part."""

    direction: Direction = "out"  # whose neighbours must agree
    self_loops: bool = False  # True: a node with a self loop is its own neighbour


@dataclass(frozen=True)
class TwinLookup(ZooModel[TwinLookupConfig]):
    """Majority vote among the training twins of a node, else the majority class of all training nodes."""

    def solve(self, graph: Graph, split: Split, config: TwinLookupConfig, inputs: Any = None) -> Solution:
        start = time.perf_counter()
        group = self.prepare(graph, config) if inputs is None else inputs
        prior = class_shares(graph, split)
        votes = np.zeros((group.max(initial=-1) + 2, graph.num_classes))  # the last row is that of nodes without twins
        voters = np.flatnonzero(split.train & (group >= 0))
        np.add.at(votes, (group[voters], graph.y[voters]), 1.0)
        # the prior weighs as much as one vote: it decides where there is none and breaks ties, no more
        shares = (votes + prior) / (votes.sum(axis=1, keepdims=True) + 1)
        return Solution(log_shares(shares)[group], None, 0, time.perf_counter() - start)


def prepare(graph: Graph, config: TwinLookupConfig) -> NDArray[np.int64]:
    """The group of nodes with equal neighbour sets that each node belongs to [n]; -1 for a node without neighbours."""
    A = adjacency(graph, config.direction, config.self_loops)
    numbers: dict[bytes, int] = {}
    group = np.full(graph.num_nodes, -1)
    for i in range(graph.num_nodes):
        neighbours = A.indices[A.indptr[i] : A.indptr[i + 1]]
        if len(neighbours):
            group[i] = numbers.setdefault(neighbours.tobytes(), len(numbers))
    return group


MODEL = TwinLookup("twin_lookup", "Twin look-up", TwinLookupConfig, prepare, build, space, tunable=False)
