"""By which metric a graph is scored, what the metric is called and what chance gives; pure functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lsgnn.train.metrics import UNBALANCED, Metric, about, largest_share, positive_class

OF_ONE_CLASS = ("average_precision", "recall_at_k")


@dataclass(frozen=True)
class Scoring:
    """How models on a graph are compared, decided by the labels that training may see.

    Args:
        metric: its name in the registry.
        title: its name, with the class it is about where it is about one.
        positive: the class that is looked for, of two the rarer one.
        chance: what a random order, or a random class, reaches (a share of 1); None where that says nothing.
        unbalanced: True if one class is nearly all, so that accuracy says little.
    """

    metric: Metric
    title: str
    positive: int
    chance: float | None
    unbalanced: bool


def scoring_of(y: NDArray[np.int64], class_names: tuple[str, ...], metric: Metric) -> Scoring:
    """How to score by a metric a graph with these labels (-1 where they may not be seen)."""
    positive = positive_class(y)
    return Scoring(
        metric=metric,
        title=title_of(metric, class_names, positive),
        positive=positive,
        chance=chance_of(metric, y[y >= 0], positive),
        unbalanced=largest_share(y)[1] > UNBALANCED,
    )


def title_of(metric: Metric, class_names: tuple[str, ...], positive: int) -> str:
    """The metric's name, with the class it is about where it is about one."""
    title = about(metric).title
    return f"{title} of {class_names[positive]}" if metric in OF_ONE_CLASS and len(class_names) == 2 else title


def chance_of(metric: Metric, y: NDArray[np.int64], positive: int) -> float | None:
    """What a random order, or a random class, reaches on these labels; None where that is not one number."""
    if not len(y):
        return None
    if metric in OF_ONE_CLASS:
        return float((y == positive).mean())
    if metric == "roc_auc":
        return 0.5
    return 1 / len(np.unique(y)) if metric == "balanced_accuracy" else None


def brief(metric: Metric, value: float) -> str:
    """A raw value in words, as short as a card or a sentence wants it: 81.3 %, 0.512."""
    return f"{100 * value:.1f} %" if about(metric).percent else f"{value:.3f}"
