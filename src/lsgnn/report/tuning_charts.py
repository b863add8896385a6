"""The charts of a tuning page: history, importances, slices, parallel coordinates, and what re-scoring changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from lsgnn.benchmark.score_scale import titled
from lsgnn.report.charts import Bar, bar_chart
from lsgnn.report.charts.canvas import padded
from lsgnn.report.charts.parallel import Strand, parallel_chart
from lsgnn.report.charts.points import Dot, point_chart
from lsgnn.report.charts.slopes import Slope, slope_chart
from lsgnn.report.page import drawn, percent
from lsgnn.report.searched import Axis, Trial
from lsgnn.train.metrics import Metric, about, digits_of, utility

REACH = 4.0  # how far below the median the axis goes, in distances from the median to the best
MAX_AXES = 8  # of the parallel coordinates: more do not fit a screen
MAX_STRANDS = 300
TOP = 0.1  # share of trials that is called the best
LOOKS = (("complete", "s0 pt"), ("pruned", "faint-fill"), ("chosen", "s3"))


def score_limits(trials: Sequence[Trial], metric: Metric) -> tuple[float, float]:
    """An axis that shows the good trials apart: the worst, if they are far behind, lie on its edge."""
    scores = np.array([utility(metric, t.score) for t in trials if t.complete] or [0.0, 1.0])
    best, middle = float(scores.max()), float(np.median(scores))
    low, high = padded(max(float(scores.min()), middle - REACH * (best - middle)), best)
    return (low, high) if about(metric).higher_is_better else (-high, -low)


def history_chart(trials: Sequence[Trial], chosen: int, metric: Metric) -> Markup:
    best: list[tuple[float, float]] = []
    for trial in trials:
        if trial.complete and (not best or utility(metric, trial.score) > utility(metric, best[-1][1])):
            best.append((trial.number, trial.score))
    last = trials[-1].number
    steps = [*best, (last, best[-1][1])] if best else []
    words = (
        "Every trial in order; the line is the best so far. Trials far behind lie on the edge, pruned ones are grey."
    )
    dots = [_dot(trial, trial.number, chosen, metric) for trial in _chosen_last(trials, chosen)]
    limits = score_limits(trials, metric)
    names = [*LOOKS, ("best so far", "s1")]
    return drawn(
        point_chart(
            *("History of the search", words, dots, "trial", _scored_by(metric), limits),
            x_limits=(trials[0].number, max(last, trials[0].number + 1)),
            steps=steps,
            names=names,
        )
    )


def importance_chart(shares: Mapping[str, float]) -> Markup:
    bars = [Bar(name, share, percent(share, 0)) for name, share in shares.items()]
    words = "Share of the variance of the scores that each hyperparameter explains."
    return drawn(bar_chart("Importance of hyperparameters", words, bars, "share of the variance of scores"))


def slice_chart(axis: Axis, trials: Sequence[Trial], chosen: int, metric: Metric) -> Markup:
    """Scores of complete trials by one hyperparameter."""
    random = np.random.default_rng(0)
    width = (
        0.5 / len(axis.choices) if axis.choices else 0.0
    )  # choices are spread, so that trials do not hide each other
    complete = _chosen_last([trial for trial in trials if trial.complete], chosen)
    dots = []
    for trial in complete:
        place = axis.place(trial.settings[axis.name]) + width * float(random.uniform(-0.5, 0.5))
        dots.append(_dot(trial, place, chosen, metric, f"{axis.name}={trial.settings[axis.name]}"))
    words = f"Score of every complete trial by {axis.name}."
    limits = score_limits(trials, metric)
    return drawn(
        point_chart(f"Scores by {axis.name}", words, dots, axis.name, _scored_by(metric), limits, ticks=axis.ticks)
    )


def parallel_coordinates(axes: Sequence[Axis], trials: Sequence[Trial], chosen: int, metric: Metric) -> Markup:
    """The most important hyperparameters and, as the last axis, the score; the best trials stand out."""
    complete = sorted((t for t in trials if t.complete), key=lambda t: utility(metric, t.score))[-MAX_STRANDS:]
    from_here = len(complete) - max(1, round(TOP * len(complete)))
    low, high = score_limits(trials, metric)
    score = Axis("score", (), low, high)
    strands = []
    for rank, trial in enumerate(complete):
        places = [axis.place(trial.settings[axis.name]) for axis in axes[:MAX_AXES]]
        css = "strand best" if rank >= from_here else "strand"
        css = "strand chosen" if trial.number == chosen else css
        at = min(max(score.place(trial.score), 0.0), 1.0)
        strands.append(Strand([*places, at], css, _hint(trial, metric)))
    strands.sort(key=lambda strand: strand.css == "strand chosen")
    shown = [*((axis.name, axis.ticks) for axis in axes[:MAX_AXES]), (_scored_by(metric), score.ticks)]
    words = "One line per complete trial across its hyperparameters to its score."
    names = [("complete", "s7"), (f"best {TOP:.0%}", "s0"), ("chosen", "s3")]
    return drawn(parallel_chart("Parallel coordinates", words, shown, strands, names))


def rescoring_chart(rescored: Sequence[Mapping[str, Any]], metric: Metric) -> Markup:
    slopes = [
        Slope(f"trial {r['trial']}{', chosen' if not k else ''}", r["search_val"], r["val"], 3 if not k else 7)
        for k, r in enumerate(rescored)
    ]
    words = "The best trials of the search, and the same configurations trained with fresh seeds."
    return drawn(slope_chart("What re-scoring changed", words, slopes, "search", "fresh seeds", _scored_by(metric)))


def _dot(trial: Trial, x: float, chosen: int, metric: Metric, more: str = "") -> Dot:
    css = dict(LOOKS)["chosen" if trial.number == chosen else "complete" if trial.complete else "pruned"]
    return Dot(x, trial.score, css, _hint(trial, metric, more), 5.5 if trial.number == chosen else 3.2)


def _hint(trial: Trial, metric: Metric, more: str = "") -> str:
    state = "" if trial.complete else ", pruned: mean of the splits it saw"
    return f"trial {trial.number}: {trial.score:.{digits_of(metric)}f}{f', {more}' if more else ''}{state}"


def _chosen_last(trials: Sequence[Trial], chosen: int) -> list[Trial]:
    """Drawn last, it lies above the others."""
    return sorted(trials, key=lambda trial: trial.number == chosen)


def _scored_by(metric: Metric) -> str:
    return f"validation {titled(metric)}"
