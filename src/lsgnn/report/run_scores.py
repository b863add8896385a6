"""How right is a run, and where? Confusion, scores per class, reliability, accuracy by neighbourhood; pure functions.

All of them look at one part of the split (validation, unless the page says otherwise), so that the test nodes keep
their one job: the score at the top of the page.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lsgnn.report.bins import Bin, degree_edges, degree_label, means_by_bin
from lsgnn.report.intervals import Estimate, share_interval

RELIABILITY_BINS = 10
FEW = 10  # nodes below which the highest degrees share a bin
MANY = 9  # bins of degrees
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class ClassScore:
    """Precision, recall and F1 of one class; nan where a score divides by zero."""

    name: str
    precision: float
    recall: float
    f1: float
    support: int
    predicted: int


@dataclass(frozen=True)
class ReliabilityBin:
    """The nodes whose confidence lies in one bin: how sure the model was, and how often it was right."""

    confidence: float
    accuracy: Estimate
    count: int


def confusion_matrix(y: Labels, predicted: Labels, C: int) -> NDArray[np.int64]:
    """Counts [C, C]: true class by predicted class."""
    return np.bincount(y * C + predicted, minlength=C * C).reshape(C, C)


def class_scores(confusion: NDArray[np.int64], names: tuple[str, ...]) -> list[ClassScore]:
    right = np.diag(confusion).astype(np.float64)
    support, predicted = confusion.sum(axis=1), confusion.sum(axis=0)

    def share(parts: NDArray[np.float64], wholes: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(np.divide(parts, wholes, out=np.full(len(parts), np.nan), where=wholes > 0))

    columns = zip(
        names, share(right, predicted), share(right, support), share(2 * right, support + predicted), strict=True
    )
    return [
        ClassScore(name, float(p), float(r), float(f), int(support[c]), int(predicted[c]))
        for c, (name, p, r, f) in enumerate(columns)
    ]


def macro_f1(scores: list[ClassScore]) -> float:
    """Mean F1 over the classes that occur or are predicted, as scikit-learn counts."""
    known = [score.f1 for score in scores if score.support or score.predicted]
    return float(np.mean(known)) if known else float("nan")


def reliability(
    confidence: NDArray[np.floating], right: NDArray[np.bool_], bins: int = RELIABILITY_BINS
) -> list[ReliabilityBin]:
    """Equally wide bins of confidence, open on the left as `expected_calibration_error` has them; no empty ones."""
    which = np.clip(np.ceil(np.asarray(confidence, dtype=np.float64) * bins).astype(np.int64) - 1, 0, bins - 1)
    out = []
    for b in np.unique(which):
        chosen = which == b
        count, hits = int(chosen.sum()), float(right[chosen].sum())
        out.append(ReliabilityBin(float(confidence[chosen].mean()), share_interval(hits, count), count))
    return out


def accuracy_by_homophily(homophily: NDArray[np.float64], right: NDArray[np.bool_]) -> list[Bin]:
    """Five bins of node homophily; nodes without labelled neighbours form a bin of their own."""
    known = ~np.isnan(homophily)
    edges = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    hits = right.astype(np.float64)
    bins = means_by_bin(homophily[known], hits[known], edges, lambda low, high: f"{low:.1f}–{high:.1f}")
    if not known.all():
        alone = hits[~known]
        bins.append(Bin("none", float("nan"), float("nan"), len(alone), share_interval(float(alone.sum()), len(alone))))
    return bins


def accuracy_by_degree(degree: Labels, right: NDArray[np.bool_]) -> list[Bin]:
    """Bins 0, 1, 2, 3–4, 5–8, … of how many neighbours the model reads; the last holds at least a few nodes.

    Where there would be many, two and two are one, so that a chart can name them.
    """
    edges = degree_edges(int(degree.max()) if len(degree) else 0)
    while len(edges) > 3 and (degree >= edges[-2]).sum() < FEW:
        del edges[-2]
    if len(edges) > MANY + 1:
        edges = [*edges[:3], *edges[3:-1:2], edges[-1]]
    last = edges[-2]

    def label(low: float, high: float) -> str:
        return f"{last}+" if low == last > 0 else degree_label(low, high)

    return means_by_bin(degree.astype(np.float64), right.astype(np.float64), edges, label)
