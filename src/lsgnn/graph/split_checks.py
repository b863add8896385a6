"""Which splits to use, and whether they can be learned from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from lsgnn.errors import InputError, LSGNNWarning
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import ENOUGH_TO_VALIDATE, Split, Splits, stratified_splits

LOUD = 100  # labelled nodes; a smaller graph is a toy or a test, and its notes are enough


def default_splits(graph: Graph, splits: Splits | None = None) -> Splits:
    """The splits given, else the graph's official ones, else ten stratified 60/20/20 ones, the same at every call."""
    graph.require_classes()
    return splits or graph.splits or stratified_splits(graph.y)


def split_numbers(splits: Splits, which: Sequence[int] | None) -> list[int]:
    """The splits that are asked for, all by default."""
    numbers = list(range(len(splits)) if which is None else which)
    if not numbers:
        raise InputError("which is empty: name at least one split")
    return numbers


def require_test_nodes(graph: Graph, split: Split, number: int) -> None:
    if not (split.test & graph.labelled).any():
        raise InputError(f"split {number} has no labelled test node to score: mark some in its test mask")


def check_split(graph: Graph, split: Split, own: bool = False) -> list[str]:
    """Raises where a split cannot be learned from; returns (and warns of) what the user should know about it.

    Whoever made the split as their `own` knows how many nodes validate: that is a note then, and no warning.
    """
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
    notes = []
    if missing := [graph.class_names[c] for c in np.setdiff1d(graph.y[graph.labelled], trained)]:
        notes.append(f"no training node of class {', '.join(missing)}: it can never be predicted")
        warnings.warn(f"{graph.name}: {notes[-1]}; draw another split or add labels", LSGNNWarning, stacklevel=3)
    if few := _few_to_validate(graph, split):
        notes.append(few)
        if not own and graph.labelled.sum() >= LOUD:
            fix = "label more of them, or pass a split in which more validate"
            warnings.warn(f"{graph.name}: {few}; {fix}", LSGNNWarning, stacklevel=3)
    return notes


def _few_to_validate(graph: Graph, split: Split) -> str:
    """Which classes that are learned have few validation nodes, in words; empty if none, or none that matters.

    Official splits of many classes are what they are; of two classes, the rare one is the one looked for.
    """
    if graph.splits is not None and graph.num_classes != 2:
        return ""
    counts = np.bincount(graph.y[split.val], minlength=graph.num_classes)
    few = [c for c in np.unique(graph.y[split.train]) if counts[c] < ENOUGH_TO_VALIDATE]
    if not few:
        return ""
    named = [f"{counts[c]} of class {graph.class_names[c]}" for c in few[:3]]
    more = [f"few of {len(few) - 3} more"] if len(few) > 3 else []
    return f"validation nodes are few ({', '.join(named + more)}): what is chosen by them is chosen partly by chance"
