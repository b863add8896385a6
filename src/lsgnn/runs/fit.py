"""`fit`: a graph and settings in, a trained `Run` out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError, LSGNNWarning
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.convert import as_graph
from lsgnn.graph.splits import Split, Splits, stratified_splits
from lsgnn.propagate.precompute import precompute
from lsgnn.runs.defaults import note_on_columns, suited_to
from lsgnn.runs.probe import PROBED, probe
from lsgnn.runs.run import Run
from lsgnn.train.engines import Engine, train
from lsgnn.train.environment import environment
from lsgnn.train.loop import OnEpoch
from lsgnn.train.trained import require_memory_for_history


def fit(
    graph: Any,
    config: LSGNNConfig | None = None,
    *,
    split: int | Split = 0,
    splits: Splits | None = None,
    engine: Engine = "auto",
    device: str = "cpu",
    members: int = 1,
    on_epoch: OnEpoch | None = None,
    **settings: Any,
) -> Run:
    """Trains LSGNN on one split of a graph and reads the test nodes once, at the end.

    Args:
        graph: anything `lsgnn.as_graph` understands.
        config: settings; single ones may also be given by name (`fit(graph, K=3, lr=0.05)`). Without a config, or with
            `direction="auto"`, a quick probe of the validation nodes picks the direction and, unless `config` or a
            name gives them, the weights; without one, columns of very different sizes are standardised; the notes tell.
        split: which of the splits to use, or a `Split` of your own.
        splits: splits to use instead of the graph's own (or, where it has none, of stratified ones).
        engine: `cpu` is the fused engine, `torch` the plain loop on any device, `auto` the quickest that can.
        device: where the torch engine runs.
        members: how many trainings, with seeds from `config.seed` on, share the vote (their graph work is shared).
        on_epoch: called with each entry of the history: after each epoch by torch, at the end by the fused engine.
    """
    graph = as_graph(graph)
    unsaid = settings.get("direction", "auto" if config is None else "") == "auto"
    if unsaid:
        settings.pop("direction", None)
    if config is not None and not isinstance(config, LSGNNConfig):
        raise InputError(f"config is of type {type(config).__name__}: pass an LSGNNConfig, or settings by name")
    weights_said = config is not None or "weights" in settings
    config = (config or suited_to(graph, LSGNNConfig())).replace(**settings)
    if not isinstance(members, int) or members < 1:
        raise InputError(f"members={members!r} is out of range: it must be a whole number, at least 1")
    if not isinstance(split, Split | int | np.integer):
        raise InputError(f"split={split!r} is of type {type(split).__name__}: pass a number or a Split")
    chosen = split if isinstance(split, Split) else default_splits(graph, splits)[int(split)]
    require_memory_for_history(config)  # here, because a probe would be trained for nothing
    notes = check_split(graph, chosen) + note_on_columns(graph, config.feature_norm)
    if unsaid:
        choice = probe(graph, chosen, config, engine, (config.weights,) if weights_said else PROBED)
        config = config.replace(direction=choice.direction, weights=choice.weights)
        notes.append(str(choice))
    start = time.perf_counter()
    pre = precompute(graph, config)
    seconds = time.perf_counter() - start
    trained = tuple(
        train(pre, graph.y, graph.num_classes, chosen, config.replace(seed=seed), engine, device, on_epoch)
        for seed in range(config.seed, config.seed + members)
    )
    return Run(
        graph=graph,
        config=config,
        split=chosen,
        members=trained,
        seconds={"precompute": seconds, "train": sum(member.seconds for member in trained)},
        environment=environment(),
        notes=(*graph.notes, *notes),
        precomputed=pre,
    )


def default_splits(graph: Graph, splits: Splits | None = None) -> Splits:
    """The splits given, else the graph's official ones, else ten stratified 60/20/20 ones, the same at every call."""
    graph.require_classes()
    return splits or graph.splits or stratified_splits(graph.y)


def numbers_of(splits: Splits, which: Sequence[int] | None) -> list[int]:
    """The splits that are asked for, all by default."""
    numbers = list(range(len(splits)) if which is None else which)
    if not numbers:
        raise InputError("which is empty: name at least one split")
    return numbers


def require_test_nodes(graph: Graph, split: Split, number: int) -> None:
    if not (split.test & graph.labelled).any():
        raise InputError(f"split {number} has no labelled test node to score: mark some in its test mask")


def check_split(graph: Graph, split: Split) -> list[str]:
    """Raises where a split cannot be learned from; returns (and warns of) what the user should know about it."""
    graph.require_classes()
    for part, mask in (("training", split.train), ("validation", split.val)):
        if mask.shape != (graph.num_nodes,):
            raise InputError(f"the {part} mask has shape {mask.shape}, but the graph has {graph.num_nodes} nodes")
        if not mask.any():
            if (num := graph.labelled.sum()) == len(np.unique(graph.y[graph.labelled])):
                raise InputError(
                    f"each of the {num} labelled nodes of {graph.name} is of a class of its own, which leaves none to "
                    "validate: is the label a number or an id? Pass classes that nodes share"
                )
            raise InputError(f"the {part} mask is empty: mark at least one labelled node")
        unlabelled = np.flatnonzero(mask & ~graph.labelled)
        if len(unlabelled):
            raise InputError(f"node {unlabelled[0]} is in the {part} mask but has no label: label it or unmask it")
    trained = np.unique(graph.y[split.train])
    if len(trained) < 2:
        raise InputError(f"every training node is of class {graph.class_names[trained[0]]!r}: train on two or more")
    missing = [graph.class_names[c] for c in np.setdiff1d(graph.y[graph.labelled], trained)]
    if not missing:
        return []
    note = f"no training node of class {', '.join(missing)}: it can never be predicted"
    warnings.warn(f"{graph.name}: {note}; draw another split or add labels", LSGNNWarning, stacklevel=3)
    return [note]
