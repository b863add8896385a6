"""The cards at the top of a run page: the score of each part of the split, by the metric the run was chosen by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.report.intervals import Estimate, percentile_interval, resampled_scores, share_interval
from lsgnn.report.page import NOT_DEFINED
from lsgnn.report.scoring import brief, chance_of
from lsgnn.runs.run import Run
from lsgnn.runs.run_metrics import one_member_metric
from lsgnn.train.metrics import Metric, about, measure

OF_CLASSES = ("balanced_accuracy", "macro_f1")  # of what is said, not of what is believed
PART_WORDS = {"train": "training", "val": "validation", "test": "test"}


def lead(run: Run, size: str = "") -> str:
    """The line below the title: the size of the graph, and the best epoch or what an ensemble gains."""
    graph, members = run.graph, len(run.members)
    said = size or f"{graph.num_nodes:,} nodes, {graph.num_edges:,} edges, {graph.num_classes} classes"
    if members == 1:
        best, history = run.trained.best_epoch, run.trained.history
        return f"{said}; best epoch {best} of {len(history)}" if history else said
    said += f"; ensemble of {members} {'training runs' if run.model == 'auto' else 'seeds'}"
    if (metric := one_member_metric(run)) is None:
        return said
    return f"{said}: validation {about(metric).title} {run.ensemble_gain:+.2f} points over one"


def headline(run: Run, part: str, predicted: NDArray[np.int64]) -> dict[str, Any]:
    """One card: the score with its interval and what chance gives, beside it accuracy, loss and calibration.

    `predicted` are the classes of all nodes as the run says them, by its threshold where it has one.
    """
    rows, metrics, metric = getattr(run.split, part) & run.graph.labelled, run.metrics, run.metric
    y, accuracy = run.graph.y[rows], metrics.get(f"{part}_accuracy")
    scored = np.eye(run.graph.num_classes)[predicted] if metric in OF_CLASSES else run.logits
    score = score_of(metric, scored[rows], y, run.positive, metrics.get(f"{part}_{metric}"))
    chance = chance_of(metric, y, run.positive)
    return {
        "name": PART_WORDS[part],
        "test": part == "test",
        "count": len(y),
        "value": NOT_DEFINED if score is None else brief(metric, score.mean),
        "interval": None
        if score is None or score.interval is None
        else [brief(metric, bound) for bound in score.interval],
        "chance": None if chance is None else brief(metric, chance),
        "accuracy": None if metric == "accuracy" else accuracy,
        "loss": None if metric == "log_loss" else metrics.get(f"{part}_loss"),
        "ece": metrics.get(f"{part}_ece"),
    }


def score_of(
    metric: Metric, logits: NDArray[np.floating], y: NDArray[np.int64], positive: int, value: float | None
) -> Estimate | None:
    """A score and its 95 % interval over nodes: Wilson's for accuracy, by resampled nodes for any other."""
    if value is None:
        return None
    if metric == "accuracy":
        return share_interval(value * len(y), len(y))
    return percentile_interval(
        value, resampled_scores(lambda rows: measure(metric, logits[rows], y[rows], positive), len(y))
    )
