"""How long a probe may train: as many epochs as a budget of CPU seconds allows, by estimate, so that it is the same
everywhere and at any time.

The rates are nanoseconds on one core, fitted to the fused engine on seven graphs (most estimates are within a third of
what was measured) and, for baselines, to torch on two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.runs.stages import Stage, num_stored

SECONDS = 18.0  # of a whole probe, or
OF_THE_RUN = 2.0  # times the training run that it is for, if that is more
LONGEST_STAGE = 1 / 3  # of that, for a stage whose candidates train longer than others
WIDEST, NARROW, LONG_RUN = 64, 16, 10.0  # hidden channels, and seconds of a training run not made longer by them
MOST, LEAST = 100, 30  # epochs of a candidate, where it is not to train longer
SEEDS, FURTHER = 5, 5.0  # training runs of a default answer, and seconds of those after the first

ENTRY, CHANNEL = 0.065, 0.04  # reduction: a stored feature or an edge, and a number of a dense channel
ROW, ROW_CLASS = 1.7, 0.09  # a scored row, and its logits, per column of the reduction
WEIGHT = 0.6  # Adam, per weight of the reduction
LINK, LINK_ROW = 0.14, 15.0  # the adjacency embedding: an edge, and a node, per hidden column
BEGIN, BEGIN_NODE, BEGIN_EDGE = 15e6, 5e3, 350.0  # before the first epoch
TORCH, TORCH_ELEMENT = 1.5, 20.0  # a baseline: a multiply-add, and a hidden number between its layers


@dataclass(frozen=True)
class Size:
    """What the cost of a training run depends on: counts of a graph, and how many of its nodes are scored."""

    nodes: int
    edges: int
    stored: int  # feature values other than zero
    columns: int
    classes: int
    train: int
    val: int

    @classmethod
    def of(cls, graph: Graph, split: Split) -> Size:
        train, val = int(split.train.sum()), int(split.val.sum())
        stored = num_stored(graph)
        return cls(graph.num_nodes, graph.num_edges, stored, graph.num_features, graph.num_classes, train, val)


@dataclass(frozen=True)
class Budget:
    """CPU seconds of a probe, and what its candidates cost.

    Args:
        deals: training runs of each candidate.
        seconds: for all candidates together.
    """

    size: Size
    deals: int
    seconds: float

    @classmethod
    def towards(cls, size: Size, deals: int, config: Any) -> Budget:
        """That of a probe for a training run with this configuration."""
        return cls(size, deals, max(SECONDS, OF_THE_RUN * run_seconds(size, config)))

    def epochs(self, candidates: Sequence[Any], share: float = 1.0) -> int:
        """How many epochs each of them may have, if all together use no more than a share of the budget."""
        begin = self.deals * len(candidates) * begin_seconds(self.size)
        epoch = sum(self.deals * epoch_seconds(self.size, one) for one in candidates)
        return int(max(LEAST, (share * self.seconds - begin) / max(1e-9, epoch)))


def affordable_width(size: Size, config: Any, widest: int = WIDEST) -> int:
    """Hidden channels with which a training run takes seconds: as many as pay at most, 16 at least."""
    width = widest
    while width > NARROW and run_seconds(size, config.replace(hidden_channels=width)) > LONG_RUN:
        width //= 2
    return width


def narrowed(stage: Stage, size: Size, config: Any) -> Stage:
    """The stage of learning with the width of each wide option affordable, given what was chosen before it: hops, above
    all. Other stages stay as they are: batch norm needs its width (by years, arxiv-2023 loses five points without).

    Args:
        config: what was chosen, with as many epochs as the training run that follows.
    """

    if stage.name != "learning":
        return stage

    def affordable(option: dict[str, Any]) -> dict[str, Any]:
        width = option.get("hidden_channels", NARROW)
        if width <= NARROW:
            return option
        return option | {"hidden_channels": affordable_width(size, config.replace(**option), width)}

    return replace(stage, options=tuple(map(affordable, stage.options)))


def affordable_members(size: Size, config: Any) -> int:
    """Seeds of an ensemble whose further training runs take seconds."""
    return 1 + min(SEEDS - 1, int(FURTHER / run_seconds(size, config)))


def run_seconds(size: Size, config: Any) -> float:
    """Of a training run of LSGNN by the fused engine."""
    return begin_seconds(size) + int(config.epochs) * epoch_seconds(size, config)


def begin_seconds(size: Size) -> float:
    """Before its first epoch."""
    return (BEGIN + BEGIN_NODE * size.nodes + BEGIN_EDGE * size.edges) * 1e-9


def epoch_seconds(size: Size, config: Any) -> float:
    """Of an epoch of LSGNN; a small MLP that speaks for a baseline counts as LSGNN without hops."""
    K, z = getattr(config, "num_hops", 0), config.hidden_channels
    blocks, rows = 2 * K + 1, 3 * size.train + size.val
    narrow = 2 * (blocks * size.stored + 2 * K * (K + 1) * size.edges) * ENTRY
    dense = blocks * (2 * size.train + size.val) * size.columns * CHANNEL
    per_column = min(narrow, dense) + blocks * (rows * (ROW + ROW_CLASS * size.classes) + size.columns * WEIGHT)
    if getattr(config, "adjacency_embedding", False):
        per_column += 2 * size.edges * LINK + size.nodes * LINK_ROW
    return float(z * per_column * 1e-9)


def torch_epoch_seconds(size: Size, config: Any, channels: int, edges: int) -> float:
    """Of an epoch of a baseline: forward, back and a look at the validation nodes.

    Args:
        channels: convolutions side by side in each layer.
        edges: that each of its layers reads.
    """
    z, layers = config.hidden_channels, getattr(config, "num_layers", 1)
    multiplied = size.stored + layers * (edges + 0.1 * size.nodes * z)
    return float(channels * z * (multiplied * TORCH + layers * size.nodes * TORCH_ELEMENT) * 1e-9)
