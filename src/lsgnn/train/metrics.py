"""How good are predictions? The registry of scores: what each is called, how it is computed and which way is better.

Of two classes, the one that is looked for (fraud, say) is the positive one. Average precision and recall at k are about
it alone; ROC AUC is the same whichever class it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.softmax import log_softmax

Metric = Literal["accuracy", "balanced_accuracy", "macro_f1", "roc_auc", "average_precision", "recall_at_k", "log_loss"]
Labels = NDArray[np.int64]

UNBALANCED = 0.9  # a class with more than this share of the labelled nodes makes accuracy say little


@dataclass(frozen=True)
class MetricFacts:
    """What a metric is, for code and for people.

    Args:
        title: its name in sentences and tables.
        higher_is_better: False for a loss.
        two_classes: True if it is defined for two classes only.
        percent: True if it is a share of 1, which is shown in percent.
    """

    name: Metric
    title: str
    higher_is_better: bool = True
    two_classes: bool = False
    percent: bool = True


METRICS: dict[Metric, MetricFacts] = {
    facts.name: facts
    for facts in (
        MetricFacts("accuracy", "accuracy"),
        MetricFacts("balanced_accuracy", "balanced accuracy"),  # mean recall of the classes
        MetricFacts("macro_f1", "macro F1"),  # mean F1 of the classes
        MetricFacts("roc_auc", "ROC AUC", two_classes=True),
        MetricFacts("average_precision", "average precision", two_classes=True),
        MetricFacts("recall_at_k", "recall at k", two_classes=True),  # k: how many positives there are, as in GADBench
        MetricFacts("log_loss", "log loss", higher_is_better=False, percent=False),
    )
}


def about(metric: str) -> MetricFacts:
    """The facts of a metric by its name; an error names the choices."""
    if metric not in METRICS:
        raise InputError(f"metric={metric!r} is not a choice: use one of {', '.join(map(repr, get_args(Metric)))}")
    return METRICS[metric]


def measure(metric: Metric, logits: NDArray[np.floating], y: Labels, positive: int = 1) -> float:
    """The score of logits [b, C] against classes [b], as it is: between 0 and 1 for all but the log loss."""
    require_measurable(metric, y, logits.shape[1])
    if about(metric).two_classes:
        margin = logits[:, positive] - logits[:, 1 - positive]
        return _ranked(metric, margin, y == positive)
    if metric == "log_loss":
        return float(-log_softmax(logits.astype(np.float64), axis=1)[np.arange(len(y)), y].mean())
    predicted = logits.argmax(axis=1)
    if metric == "accuracy":
        return float((predicted == y).mean())
    C = logits.shape[1]
    right, true, said = (np.bincount(part, minlength=C) for part in (y[predicted == y], y, predicted))
    if metric == "balanced_accuracy":  # of the classes that there are
        return float((right[true > 0] / true[true > 0]).mean())
    seen = true + said
    return float((2 * right[seen > 0] / seen[seen > 0]).mean())


def require_measurable(metric: Metric, y: Labels, num_classes: int) -> None:
    """Raises where a metric is not defined: it is for two classes, both of which must be among those scored."""
    facts = about(metric)
    if not facts.two_classes:
        return
    if num_classes != 2:
        raise InputError(f"{facts.title} is for two classes, but there are {num_classes}: use accuracy or macro_f1")
    if len(present := np.unique(y)) < 2:
        raise InputError(
            f"{facts.title} needs both classes, but all scored nodes are of class {present}: use another split"
        )


def _ranked(metric: Metric, margin: NDArray[np.floating], is_positive: NDArray[np.bool_]) -> float:
    """ROC AUC, average precision or recall at k; nodes of equal margin are taken together, so order plays no part."""
    _, group = np.unique(-margin, return_inverse=True)  # the greatest margin first
    size, hits = np.bincount(group), np.bincount(group, weights=is_positive)
    seen, found = np.cumsum(size), np.cumsum(hits)  # at the end of each group
    positives, nodes = found[-1], seen[-1]
    if metric == "roc_auc":
        return float(((size - hits) * (found - hits / 2)).sum() / (positives * (nodes - positives)))
    if metric == "average_precision":
        return float((hits * found / seen).sum() / positives)
    room = np.clip(positives - (seen - size), 0, size)  # of the k places, those that fall to each group
    return float((hits * room / size).sum() / positives)


def utility(metric: Metric, value: float) -> float:
    """The value, or its negative for a loss: higher is always better. Applied twice it changes nothing."""
    return value if about(metric).higher_is_better else -value


def worst(metric: Metric) -> float:
    """The utility of a model that has learned nothing because training diverged."""
    return 0.0 if about(metric).higher_is_better else -np.inf


def displayed(metric: Metric, value: float) -> float:
    """The value as tables have it: in percent, but for the log loss."""
    return 100 * value if about(metric).percent else value


def unit_of(metric: Metric) -> str:
    return "%" if about(metric).percent else ""


def digits_of(metric: Metric) -> int:
    """Digits after the point of a displayed value."""
    return 2 if about(metric).percent else 4


def shown(metric: Metric, value: float) -> str:
    """A raw value in words.

    >>> shown("accuracy", 0.8125), shown("log_loss", 0.5)
    ('81.25 %', '0.5000')
    """
    return f"{displayed(metric, value):.{digits_of(metric)}f} {unit_of(metric)}".rstrip()


def judging_nodes(metric: Metric, y: Labels) -> int:
    """How many nodes of classes [b] decide a score: all of them for accuracy, else about those of the rarest class."""
    return len(y) if metric in ("accuracy", "log_loss") else int(np.unique(y, return_counts=True)[1].min())


def positive_class(y: Labels) -> int:
    """Of two classes the rarer one among labelled nodes; class 1 if they are equal, or are not two."""
    counts = np.bincount(y[y >= 0])
    return 0 if len(counts) == 2 and 0 < counts[0] < counts[1] else 1


def default_metric(y: Labels, num_classes: int, known: Metric | None = None) -> Metric:
    """What to score by where nobody said: `known` for the dataset, else accuracy, unless one class is nearly all.

    Args:
        y: labels that training may see; -1 elsewhere.
    """
    if known is not None:
        return known
    if largest_share(y)[1] <= UNBALANCED:
        return "accuracy"
    return "average_precision" if num_classes == 2 else "balanced_accuracy"


def largest_share(y: Labels) -> tuple[int, float]:
    """The largest class among labelled nodes, and its share of them."""
    counts = np.bincount(y[y >= 0], minlength=1)
    return int(counts.argmax()), float(counts.max() / max(1, counts.sum()))


def note_on_metric(metric: Metric, y: Labels, class_names: Sequence[str]) -> str:
    """Why a metric was chosen by `default_metric`, in words; empty where it is accuracy."""
    if metric == "accuracy":
        return ""
    largest, share = largest_share(y)
    of = f" of {class_names[positive_class(y)]!r}" if about(metric).two_classes else ""
    return (
        f"{100 * share:.1f} % of the training and validation nodes are of class {class_names[largest]!r}: "
        f"scored by {about(metric).title}{of} instead of accuracy (metric={metric!r})"
    )
