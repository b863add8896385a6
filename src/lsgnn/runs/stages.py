"""What a probe tries, stage by stage: the candidates of each, the simplest first."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.graph.graph import Graph
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency
from lsgnn.train.metrics import Metric

# what LSGNN's default leaves to the validation nodes
LSGNN_OPEN = (
    *("feature_norm", "structure_features", "class_weight", "direction", "K", "hidden_channels", "dropout"),
    *("weight_decay", "gamma", "lr", "adjacency_embedding", "weights", "reduce_norm", "out_norm"),
)
# what a baseline's does, on a graph that nobody published a configuration for
BASELINE_OPEN = ("feature_norm", "structure_features", "class_weight")
BY_CLASS = ("balanced_accuracy", "macro_f1", "average_precision", "recall_at_k", "roc_auc")
MAX_LINKS = 50_000  # nodes up to which an embedding of the adjacency matrix is tried: it has a row of weights for each


@dataclass(frozen=True)
class Stage:
    """One decision: the options differ in the values of a few hyperparameters.

    Args:
        options: the simplest first; a later one may change more than it decides, what an earlier stage chose among it.
        errors: standard errors by which a later option must lead.
        titles: the options in words, where their values would be too many of them.
        longer: whether the options differ in how soon they learn, so that short training runs would mislead.
    """

    name: str
    options: tuple[dict[str, Any], ...]
    errors: float = 1.0
    titles: tuple[str, ...] = ()
    longer: bool = False

    def label(self, number: int) -> str:
        """An option in words: its value, or several with their names, those that all options share left out."""
        if self.titles:
            return self.titles[number]
        option = self.options[number]
        varying = [name for name in option if any(other.get(name) != option[name] for other in self.options)]
        if len(varying) == 1:
            return str(option[varying[0]])
        return ", ".join(f"{name}={option[name]}" for name in varying)


def stages(graph: Graph, config: Any, undecided: Collection[str], metric: Metric, width: int = 64) -> list[Stage]:
    """The decisions in the order they are made, restricted to what is undecided; one may have a single option left.

    Args:
        width: of the widest hidden layer that is affordable.
    """
    hops = Stage("hops", ({"K": 2}, {"K": 5}))
    every = [
        Stage("features", tuple({"feature_norm": norm} for norm in _norms(graph))),
        Stage("structure", ({"structure_features": "none"}, {"structure_features": "degrees"})),
        Stage("class weights", _class_weights(metric)),
        hops,
        Stage("direction", tuple({"direction": way} for way in _directions(graph))),
        Stage("decay", tuple({"weight_decay": decay} for decay in (5e-4, 5e-3, 2e-2)), errors=0.0),  # none is simpler
        *([replace(hops, name="hops again")] if "weight_decay" in undecided else []),  # a stronger decay bears more
        Stage("residual", ({"gamma": 0.5}, {"gamma": 1.0})),  # on Cora the second is a point better, on Wisconsin worse
        _learning(width),
        # a model that has links cannot be applied to other graphs, and it learns sooner than others, not more
        Stage("links", _embeddings(graph), errors=2.0, longer=True),
        _magnitude(graph, undecided),
        Stage("weights", ({"weights": "graph"}, {"weights": "localsim"})),
    ]
    known = config.to_dict()
    return [limited for stage in every if (limited := _limited(stage, known, undecided)) is not None]


def first_options(todo: Iterable[Stage]) -> dict[str, Any]:
    """Where to start: what stages assume that come before the one that decides it."""
    return {name: value for stage in todo for name, value in stage.options[0].items()}


def _limited(stage: Stage, known: dict[str, Any], undecided: Collection[str]) -> Stage | None:
    """The stage with what is decided left as it is; None where nothing of it is undecided."""
    names = [name for name in stage.options[0] if name in known and name in undecided]
    options = [
        {name: value for name, value in option.items() if name in known and name in undecided}
        for option in stage.options
    ]
    distinct = [number for number, option in enumerate(options) if option not in options[:number]]
    titles = tuple(stage.titles[number] for number in distinct if stage.titles)
    return replace(stage, options=tuple(options[n] for n in distinct), titles=titles) if names else None


def _norms(graph: Graph) -> tuple[str, ...]:
    """Rows of length one, or columns of one scale; for a single column of numbers rows would leave its sign alone.

    Where all columns hold zeros and ones only, scaling columns changes nothing, and features are tried as they are.
    """
    if graph.num_features == 1:
        return ("standard",)
    x = sparse_if_mostly_zero(graph.x)
    binary = bool((ColumnScale.of(x).binary > 0).all())
    return ("l2", "none" if binary else "standard")


def _magnitude(graph: Graph, undecided: Collection[str]) -> Stage:
    """Rows of length one, or nothing that hides how large an aggregated row is. All norms of rows go together: where
    the user named one of them there is nothing to choose.

    What was chosen for rows of length one need not suit the others, which learn more from their neighbours and overfit
    sooner: they come with twice the width and a dropout of 0.9, and also with two hops and degrees in every direction.
    """
    rows: dict[str, Any] = {"reduce_norm": "row", "out_norm": True}
    if not {"reduce_norm", "out_norm", "feature_norm"} <= set(undecided):
        return Stage("magnitude", (rows,))
    kept = {"reduce_norm": "batch", "out_norm": False, "feature_norm": _norms(graph)[-1]}
    kept |= {"hidden_channels": 32, "dropout": 0.9, "weight_decay": 5e-4, "lr": 0.01}
    near, ways = kept | {"K": 2, "structure_features": "degrees"}, _directions(graph)
    titles = ("rows of length one", "batch norm", *(f"batch norm, 2 hops, degrees, {way}" for way in ways))
    return Stage("magnitude", (rows, kept, *(near | {"direction": way} for way in ways)), titles=titles)


def _learning(width: int) -> Stage:
    """Wide with much dropout, or narrow with less: none is simpler, the best is taken. The stages before train with 16
    channels, which cost a quarter and mostly agree; not with the most dropout, which has a residual, a decay, hops and
    columns of its own (on citation graphs it gains a point or two by them; with others it was hardly ever best)."""
    narrow = [{"hidden_channels": 16, "dropout": 0.5, "lr": lr} for lr in (0.01, 0.001)]
    wide: dict[str, Any] = {"hidden_channels": width, "dropout": 0.8, "lr": 0.01}
    most = wide | {"dropout": 0.9, "gamma": 1.0, "weight_decay": 5e-4, "K": 5, "structure_features": "none"}
    return Stage("learning", (*narrow, wide, most), errors=0.0)


def _class_weights(metric: Metric) -> tuple[dict[str, Any], ...]:
    none: dict[str, Any] = {"class_weight": "none"}
    return (none, {"class_weight": "balanced"}) if metric in BY_CLASS else (none,)


def _directions(graph: Graph) -> tuple[str, ...]:
    return ("undirected", "out", "in") if is_directed(graph) else ("undirected",)


def _embeddings(graph: Graph) -> tuple[dict[str, Any], ...]:
    without: dict[str, Any] = {"adjacency_embedding": False}
    return (without, {"adjacency_embedding": True}) if graph.num_nodes <= MAX_LINKS else (without,)


def is_directed(graph: Graph) -> bool:
    """True if some edge has no counterpart of the same weight the other way."""
    A = adjacency(graph, "out", self_loops=True)
    return bool((A != A.T).nnz)


def num_stored(graph: Graph) -> int:
    """How many feature values are not zero, as far as it is worth knowing."""
    x = sparse_if_mostly_zero(graph.x)
    return int(sp.csr_array(x).nnz) if sp.issparse(x) else int(np.prod(x.shape))
