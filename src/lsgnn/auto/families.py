"""Which models a search may take, where each begins, and what it may vary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lsgnn import zoo
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.runs.defaults import suited
from lsgnn.runs.probe_cost import Size
from lsgnn.runs.rivals import LINEAR, Other, epoch_seconds
from lsgnn.runs.stages import BY_CLASS, is_directed
from lsgnn.train.metrics import Metric
from lsgnn.zoo.presets import zoo_preset

# in the order they are probed: what is quick and often good comes first
NAMES = (
    *("lsgnn", "trees", "mlp", "label_propagation", "classic", "linkx", "appnp", "fsgnn", "gprgnn", "acm_gcn"),
    *("glognn", "dir_gnn", "h2gcn", "gcnii"),
)
LOOK_UP = "twin_lookup"  # learns nothing, but on graphs full of copies it knows much
PATIENCE = 60  # epochs without improvement after which a trial ends, where a model has no patience of its own
ENOUGH, NARROWEST = 30, 32  # epochs that a training run should have by estimate, and hidden channels in any case
MAX_TWO_HOP = 20_000_000  # pairs of nodes two hops apart that H2GCN may hold
MAX_NODES_WITH_WEIGHTS = 200_000  # nodes up to which a model may keep a row of weights for each


@dataclass(frozen=True)
class Facts:
    """What decides which models suit a graph, and how wide they begin.

    Args:
        limit: CPU seconds of a training run; 0 for none.
    """

    graph: Graph
    metric: Metric
    limit: float = 0.0

    @cached_property
    def directed(self) -> bool:
        return is_directed(self.graph)

    @cached_property
    def two_hop_pairs(self) -> int:
        degree = np.bincount(self.graph.edge_index.ravel(), minlength=self.graph.num_nodes).astype(np.int64)
        return int((degree**2).sum())

    @cached_property
    def size(self) -> Size:
        nobody = np.zeros(self.graph.num_nodes, dtype=bool)  # baselines compute all nodes, whoever is scored
        return Size.of(self.graph, Split(nobody, nobody, nobody))

    def suits(self, model: str) -> bool:
        if model == "dir_gnn":
            return self.directed
        if model == "h2gcn":
            return self.two_hop_pairs <= MAX_TWO_HOP
        return self.graph.num_nodes <= MAX_NODES_WITH_WEIGHTS or model not in ("linkx", "acm_gcn", "glognn", LOOK_UP)


@dataclass(frozen=True)
class Family:
    """One model of a search.

    Args:
        model: its name in the zoo.
        starts: configurations to probe it with, the most promising first.
        space: suggestions of an Optuna trial, as hyperparameters over the first of `starts`.
    """

    model: str
    starts: tuple[Any, ...]
    space: Callable[[Any], dict[str, Any]]
    tunable: bool = True


def families(facts: Facts, lsgnn: Any, shared: dict[str, Any]) -> list[Family]:
    """All that suit the graph.

    Args:
        lsgnn: the configuration of LSGNN that its probe chose.
        shared: hyperparameters that the probe chose for every model (`feature_norm`, `class_weight`, …).
    """
    found = []
    for name in (*NAMES, LOOK_UP):
        if not facts.suits(name):
            continue
        entry = zoo.get(name)
        base = lsgnn if name == "lsgnn" else suited(zoo_preset(name, ""), shared)
        base = _affordable(facts, name, base.replace(patience=base.patience or PATIENCE))
        found.append(Family(name, _starts(name, base), _space(facts, entry, base), entry.tunable))
    return found


def _affordable(facts: Facts, name: str, base: Any) -> Any:
    """The configuration, so narrow that a training run is not over before it has learned anything."""

    def takes_too_long(config: Any) -> bool:
        return ENOUGH * epoch_seconds(facts.size, Other(name), config) > facts.limit > 0

    if name == "lsgnn" or not hasattr(base, "hidden_channels"):
        return base
    while base.hidden_channels > NARROWEST and takes_too_long(base):
        base = base.replace(hidden_channels=base.hidden_channels // 2)
    return base


def _starts(name: str, base: Any) -> tuple[Any, ...]:
    if name == "classic":
        return base, base.replace(conv="sage"), base.replace(norm="none", residual=False, num_layers=2)
    if name == "mlp":
        return base, base.replace(**LINEAR.settings)
    if name == "trees":
        return base, base.replace(neighbour_labels=True)
    if name == "lsgnn":
        return base, base.replace(adjacency_embedding=not base.adjacency_embedding)
    return (base,)


def _space(facts: Facts, entry: Any, base: Any) -> Callable[[Any], dict[str, Any]]:
    """The model's own search space, and what every model may vary with the graph and the metric at hand."""

    def suggest(trial: Any) -> dict[str, Any]:
        found: dict[str, Any] = _extended(trial) if entry.name == "lsgnn" else entry.space(trial)
        if facts.directed and hasattr(base, "direction") and "direction" not in found:
            found["direction"] = trial.suggest_categorical("direction", ("undirected", "out", "in"))
        if hasattr(base, "feature_norm") and "structure_features" not in found:
            found["structure_features"] = trial.suggest_categorical("structure_features", ("none", "degrees"))
        if facts.metric in BY_CLASS:
            found["class_weight"] = trial.suggest_categorical("class_weight", ("none", "balanced"))
        return found

    return suggest


def _extended(trial: Any) -> dict[str, Any]:
    from lsgnn.zoo.lsgnn_space import extended_space

    found = extended_space(trial)
    found.pop("select_by")  # epochs follow the metric
    return found
