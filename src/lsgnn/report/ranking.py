"""How well does a score put one class before the others? Curves, thresholds and lift; pure functions of arrays.

All of them take a score per node and whether it is of the class that is looked for, and give at most `MAX_POINTS`
points, so that a page stays small however many nodes it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_POINTS = 500  # of a curve, and steps of the threshold's slider: more cannot be seen
LIFT_SHARES = (0.01, 0.02, 0.05, 0.10, 0.20)
Scores = NDArray[np.floating]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Curve:
    """Points of a curve, the area (or average precision) it stands for, and what a random order would reach."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    area: float
    chance: float


@dataclass(frozen=True)
class Cut:
    """What comes of flagging every node whose score is at least `threshold`."""

    threshold: float
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def flagged(self) -> int:
        return self.true_positives + self.false_positives

    @property
    def precision(self) -> float:
        return self.true_positives / self.flagged if self.flagged else float("nan")

    @property
    def recall(self) -> float:
        positives = self.true_positives + self.false_negatives
        return self.true_positives / positives if positives else float("nan")

    @property
    def f1(self) -> float:
        counted = self.flagged + self.true_positives + self.false_negatives
        return 2 * self.true_positives / counted if counted else float("nan")


@dataclass(frozen=True)
class Lift:
    """The nodes with the highest scores: how many of the class are among them, and how many times chance that is."""

    share: float
    nodes: int
    positives: float  # of nodes with equal scores at the edge, their expected number
    precision: float
    recall: float
    lift: float


def rankable(positive: Flags) -> bool:
    """True if there is an order to speak of: nodes of the class, and others."""
    return bool(positive.any() and not positive.all())


def precision_recall_curve(score: Scores, positive: Flags) -> Curve:
    """Precision by recall from the highest score down; the area is the average precision, as scikit-learn counts."""
    _, hits, flagged = _steps(score, positive)
    precision, recall = hits / flagged, hits / hits[-1]
    area = float((np.diff(recall, prepend=0.0) * precision).sum())
    kept = _thinned(len(hits))
    start = precision[:1]  # what the first flagged nodes give, drawn from recall 0 on
    xs, ys = np.concatenate([[0.0], recall[kept]]), np.concatenate([start, precision[kept]])
    return Curve(tuple(xs.tolist()), tuple(ys.tolist()), area, float(positive.mean()))


def roc_curve(score: Scores, positive: Flags) -> Curve:
    """True by false positive rate; the area is the chance that a node of the class scores higher than another."""
    _, hits, flagged = _steps(score, positive)
    tpr = np.concatenate([[0.0], hits / hits[-1]])
    fpr = np.concatenate([[0.0], (flagged - hits) / (flagged - hits)[-1]])
    area = float(np.trapezoid(tpr, fpr))
    kept = _thinned(len(tpr))
    return Curve(tuple(fpr[kept].tolist()), tuple(tpr[kept].tolist()), area, 0.5)


def cuts(score: Scores, positive: Flags, at: Sequence[float] = ()) -> list[Cut]:
    """Every threshold that changes who is flagged, highest first, or as many as a page holds; surely those of `at`."""
    thresholds, _, _ = _steps(score, positive)
    kept = thresholds[_thinned(len(thresholds), MAX_POINTS - len(at))].tolist()
    return [cut(score, positive, t) for t in sorted({*kept, *at}, reverse=True)]


def cut(score: Scores, positive: Flags, threshold: float) -> Cut:
    flagged = np.asarray(score, dtype=np.float64) >= threshold
    hits = int((flagged & positive).sum())
    others, wanted = int(flagged.sum()) - hits, int(positive.sum())
    return Cut(float(threshold), hits, others, wanted - hits, len(positive) - wanted - others)


def lift_table(score: Scores, positive: Flags, shares: Sequence[float] = LIFT_SHARES) -> list[Lift]:
    """One row per share of all nodes, at least one node each; equal numbers of nodes are told once."""
    _, hits, flagged = _steps(score, positive)
    n, wanted = len(positive), int(positive.sum())
    rows: dict[int, Lift] = {}
    for share in shares:
        nodes = max(1, round(share * n))
        found = float(np.interp(nodes, np.concatenate([[0], flagged]), np.concatenate([[0], hits])))
        rows.setdefault(nodes, Lift(share, nodes, found, found / nodes, found / wanted, found / nodes / (wanted / n)))
    return list(rows.values())


def _steps(score: Scores, positive: Flags) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Distinct scores from the highest down, and the nodes of the class and of all down to each of them."""
    values: NDArray[np.float64] = np.asarray(score, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    ordered = values[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return ordered[last], np.cumsum(positive[order], dtype=np.int64)[last], last + 1


def _thinned(count: int, most: int = MAX_POINTS) -> NDArray[np.int64]:
    """Places of at most `most` of so many points, ends included; dense at the high scores, where decisions are made."""
    if count <= most:
        return np.arange(count)
    half = np.linspace(0, count - 1, most // 2)
    head = np.geomspace(1, count, most - most // 2) - 1
    return np.unique(np.concatenate([half, head]).round().astype(np.int64))
