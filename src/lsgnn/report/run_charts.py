"""The charts of a run page: which numbers go into which chart, under which words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from lsgnn.report.bins import Bin
from lsgnn.report.charts import (
    Cloud,
    Line,
    Point,
    heat_map,
    interval_chart,
    line_chart,
    reliability_chart,
    scatter_chart,
)
from lsgnn.report.charts.canvas import padded, shorten
from lsgnn.report.page import drawn
from lsgnn.report.run_insides import FusionWeights, MapMethod, embedding_map
from lsgnn.report.run_scores import accuracy_by_degree, accuracy_by_homophily, reliability
from lsgnn.runs.run import Run
from lsgnn.train.metrics import Metric, about
from lsgnn.train.trained import Trained

MAX_CLASSES = 24  # cells of a larger confusion matrix could not be read
UNKNOWN = "class not shown"


def learning_charts(trained: Trained, metric: Metric = "accuracy") -> dict[str, Markup]:
    """Losses and the validation score by epoch, the epoch whose weights were kept marked.

    The score is the run's metric where epochs were scored by it, else accuracy.
    """
    history: Sequence[Mapping[str, Any]] = trained.history
    epochs = [e["epoch"] for e in history]
    mark = (float(trained.best_epoch), f"best epoch {trained.best_epoch}")
    losses = [
        Line("training loss", epochs, [e["train_loss"] for e in history]),
        Line("validation loss", epochs, [e["val_loss"] for e in history]),
    ]
    known: Metric = metric if f"val_{metric}" in history[0] else "accuracy"
    title = about(known).title
    scores = [Line(title, epochs, [e[f"val_{known}"] for e in history])]
    limits = zoomed(scores[0].ys) if about(known).percent else None
    words = "The dashed line marks the epoch whose weights were kept."
    return {
        "loss": drawn(line_chart("Loss by epoch", words, losses, "epoch", "cross entropy", mark)),
        "score": drawn(
            line_chart(f"Validation {title} by epoch", words, scores, "epoch", f"validation {title}", mark, limits)
        ),
    }


def zoomed(shares: Sequence[float]) -> tuple[float, float]:
    """Limits of an axis that shows where the shares are, and nothing that a share cannot be."""
    known = [share for share in shares if math.isfinite(share)] or [0.0, 1.0]
    low, high = padded(min(known), max(known))
    return max(0.0, low), min(1.0, high)


def confusion_chart(confusion: NDArray[np.int64], names: Sequence[str], part: str) -> Markup:
    """All classes, or the most frequent ones where there are too many."""
    kept = np.sort(np.argsort(-confusion.sum(axis=1), kind="stable")[:MAX_CLASSES])
    return drawn(
        heat_map(
            f"Confusion matrix, {part} nodes",
            "Rows are true classes, columns predicted ones; colour is the share of the row, blue right, orange wrong.",
            [names[c] for c in kept],
            confusion[np.ix_(kept, kept)].tolist(),
            "true",
            "predicted",
        )
    )


def calibration_chart(confidences: Mapping[str, NDArray[np.floating]], right: NDArray[np.bool_], part: str) -> Markup:
    series = [
        (
            name,
            [
                (b.confidence, Point("", b.accuracy.mean, b.accuracy.low, b.accuracy.high, b.count))
                for b in reliability(confidence, right)
            ],
        )
        for name, confidence in confidences.items()
    ]
    words = "Share of right predictions against confidence in ten bins; on the dashed diagonal they agree."
    return drawn(reliability_chart(f"Reliability diagram, {part} nodes", words, series))


def slice_charts(
    homophily: NDArray[np.float64], degree: NDArray[np.int64], right: NDArray[np.bool_], part: str, recall_of: str = ""
) -> dict[str, Markup]:
    """The share of right predictions by neighbourhood; of the nodes of one class, where they are all of it, recall."""
    mean = (float(right.mean()), "all")
    name = f"Recall of {shorten(recall_of, 24)}" if recall_of else "Accuracy"
    words = f"{name} with its 95 % interval in each bin; the number of nodes stands below."
    bins = [_points(accuracy_by_homophily(homophily, right)), _points(accuracy_by_degree(degree, right))]
    limits = zoomed([v for points in bins for p in points for v in (p.low, p.high)])  # one for both, to compare them
    return {
        "by_homophily": drawn(
            interval_chart(
                f"{name} by node homophily, {part} nodes",
                words,
                bins[0],
                "node homophily (small: number of nodes)",
                name if recall_of else "accuracy",
                limits,
                reference=mean,
            )
        ),
        "by_degree": drawn(
            interval_chart(
                f"{name} by degree, {part} nodes",
                words,
                bins[1],
                "neighbours (small: number of nodes)",
                name if recall_of else "accuracy",
                limits,
                reference=mean,
            )
        ),
    }


def fusion_chart(weights: FusionWeights) -> Markup:
    K = len(weights.mean)
    hops = list(range(1, K + 1))
    names = ("self (I)", "low-pass (L)", "high-pass (H)")
    lines = [Line(name, hops, weights.mean[:, c].tolist()) for c, name in enumerate(names)]
    words = "Mean over nodes of the weight of each channel at each hop (of both directions: along the edges first)."
    ticks = hops if K <= 12 else None
    return drawn(
        line_chart("Mean fusion weights by hop and channel", words, lines, "hop", "mean weight α", x_ticks=ticks)
    )


def map_chart(run: Run, method: MapMethod, classes: NDArray[np.int64]) -> Markup:
    """Nodes by their representation, coloured by true class, as far as `classes` [n] tells it (-1 elsewhere)."""
    flat, graph = embedding_map(run, method), run.graph
    y = classes[flat.index]
    clouds = []
    for c, name in [(-1, UNKNOWN), *enumerate(graph.class_names)]:
        own = np.flatnonzero(y == c)
        if len(own):
            places = [(float(a), float(b)) for a, b in flat.places[own]]
            ids = [str(graph.node_ids[flat.index[i]]) for i in own]
            clouds.append(Cloud(name, places, [f"{id} ({name})" for id in ids], ids))
    title = f"Map of {len(flat.index):,} of {graph.num_nodes:,} nodes"
    words = "Node representations before the output layer in two dimensions; near nodes look alike to the model."
    grey = UNKNOWN if (y < 0).any() else ""
    return drawn(scatter_chart(title, words, clouds, *flat.axes, grey=grey))


def _points(bins: Sequence[Bin]) -> list[Point]:
    return [Point(b.label, b.value.mean, b.value.low, b.value.high, b.count) for b in bins]
