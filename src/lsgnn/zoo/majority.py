"""Majority class: what a score is worth when nothing is learned at all."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from lsgnn.config import TrainingConfig
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.zoo.protocol import Solution, ZooModel


@dataclass(frozen=True, kw_only=True)
class MajorityConfig(TrainingConfig):
    """Nothing to set; training settings play no part."""


def class_shares(graph: Graph, split: Split) -> NDArray[np.float64]:
    """The share of each class among the training nodes [C]."""
    counts = np.bincount(graph.y[split.train], minlength=graph.num_classes)
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def log_shares(shares: NDArray[np.float64]) -> NDArray[np.float32]:
    """Logits whose softmax gives these shares; a class never seen gets a very small one."""
    return np.log(np.maximum(shares, 1e-9)).astype(np.float32)


@dataclass(frozen=True)
class Majority(ZooModel[MajorityConfig]):
    """Predicts the most frequent training class for every node (the first of several)."""

    def solve(self, graph: Graph, split: Split, config: MajorityConfig, inputs: Any = None) -> Solution:
        start = time.perf_counter()
        logits = np.tile(log_shares(class_shares(graph, split)), (graph.num_nodes, 1))
        return Solution(logits, None, 0, time.perf_counter() - start)


def prepare(graph: Graph, config: TrainingConfig) -> None:
    return None


def build(config: TrainingConfig, graph: Graph, inputs: Any) -> nn.Module:
    raise InputError("this model has no weights to build: call `solve`")


def space(trial: Any) -> dict[str, Any]:
    return {}


MODEL = Majority("majority", "Majority class", MajorityConfig, prepare, build, space, tunable=False)
