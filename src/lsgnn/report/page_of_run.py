"""`run_page`: a trained `Run` as one HTML file, with a leader board where one is given.

The test nodes are scored once, in the row of scores at the top (and, of two classes, ranked in curves and lift);
everything that takes the result apart looks at one other part of the split (validation by default).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.files import write_text
from lsgnn.report.explained_nodes import explained_nodes
from lsgnn.report.leaderboard import leaderboard
from lsgnn.report.neighbourhoods import homophily_of_nodes
from lsgnn.report.node_table import confident_mistakes, node_table, shown_classes, table_order, wrong_nodes
from lsgnn.report.page import number, percent, render, table
from lsgnn.report.run_charts import (
    calibration_chart,
    confusion_chart,
    fusion_chart,
    learning_charts,
    map_chart,
    slice_charts,
)
from lsgnn.report.run_headline import PART_WORDS, headline, lead
from lsgnn.report.run_insides import FusionWeights, MapMethod, fusion_weights
from lsgnn.report.run_ranking import RankedPart, ranking_section, rule_in_words
from lsgnn.report.run_scores import ClassScore, class_scores, confusion_matrix, macro_f1
from lsgnn.report.run_tried import models_of, tried_of
from lsgnn.report.scoring import title_of
from lsgnn.report.structure import neighbour_counts
from lsgnn.runs.predictions import Predictions
from lsgnn.runs.run import Run
from lsgnn.train.calibration import expected_calibration_error

if TYPE_CHECKING:
    from lsgnn.benchmark.comparison import Comparison

Part = Literal["val", "test"]


@dataclass(frozen=True, eq=False)
class Seen:
    """What every section reads: predictions of all nodes, the part taken apart, and each node's neighbourhood."""

    run: Run
    predictions: Predictions
    part: str
    mask: NDArray[np.bool_]
    degree: NDArray[np.int64]
    homophily: NDArray[np.float64]

    @cached_property
    def predicted(self) -> NDArray[np.int64]:
        """The class of each node as the run says it, by its threshold where it has one."""
        return self.predictions.predicted

    @property
    def right(self) -> NDArray[np.bool_]:
        return np.asarray(self.predicted == self.run.graph.y)


def run_page(run: Run, comparison: Comparison | None = None, *, part: Part = "val", map: MapMethod = "pca") -> str:
    """The whole page as text.

    Args:
        run: a trained (or loaded) run.
        comparison: a leader board to show beside it.
        part: the nodes that are taken apart; `test` only when all choices have been made.
        map: `tsne` draws the embedding map by t-SNE, which takes a few seconds.
    """
    seen = seen_of(run, part, neighbour_counts(run.graph, run.direction), homophily_of_nodes(run.graph, run.direction))
    explained = explained_nodes(
        *(run, seen.predictions, table_order(run), wrong_nodes(run, seen.predictions, seen.mask)),
        shown=shown_classes(run, part == "test"),
    )
    return page_of(seen, explained.to_dict(), comparison, map)


def seen_of(run: Run, part: Part, degree: NDArray[np.int64], homophily: NDArray[np.float64]) -> Seen:
    if part not in ("val", "test"):
        raise InputError(f"part={part!r} is not a choice: use 'val' or 'test'")
    mask = getattr(run.split, part) & run.graph.labelled
    return Seen(run, run.predict(), PART_WORDS[part], mask, degree, homophily)


def page_of(
    seen: Seen,
    explained: dict[str, Any] | None = None,
    comparison: Comparison | None = None,
    map: MapMethod = "pca",
    size: str = "",
) -> str:
    """The page of what is seen.

    Args:
        explained: the nodes that a click explains; None where there are none.
        size: of the graph in words, where only its labelled nodes are seen.
    """
    run, show_test = seen.run, seen.part == PART_WORDS["test"]
    nodes = node_table(run, seen.predictions, seen.degree, seen.homophily, show_test=show_test)
    charts, tables, extra = _taken_apart(seen) if seen.mask.any() else ({}, {}, {})
    charts["map"] = map_chart(run, map, shown_classes(run, show_test))
    if run.trained.history:
        charts |= learning_charts(run.trained, run.metric)
    if run.model == "lsgnn":
        weights = fusion_weights(run)
        charts["fusion"], tables["fusion"] = fusion_chart(weights), _hops(weights)
    return render(
        "run.html",
        run=run,
        title=f"{run.graph.name}: {run.title} run",
        lead=lead(run, size),
        part=seen.part,
        part_count=int(seen.mask.sum()),
        many_classes=run.graph.num_classes > 10,
        scored_by=title_of(run.metric, run.graph.class_names, run.positive),
        scores=[headline(run, name, seen.predicted) for name in ("train", "val", "test")],
        ranking=_ranking(seen),
        tried=tried_of(run),
        models=models_of(run),
        recall_of=_recall_of(seen),
        charts=charts,
        tables=tables,
        extra=extra,
        nodes=nodes,
        node_words="labelled nodes" if size else "nodes",
        explained=explained,
        board=None if comparison is None else leaderboard(comparison),
    )


def write_run_page(
    run: Run, path: str | Path, comparison: Comparison | None = None, *, part: Part = "val", map: MapMethod = "pca"
) -> None:
    """Writes the page, whole or not at all."""
    write_text(path, run_page(run, comparison, part=part, map=map))


def _ranking(seen: Seen) -> dict[str, Any] | None:
    """Two classes as a ranking by the probability of the one that is looked for; None for more classes."""
    run = seen.run
    if run.graph.num_classes != 2:
        return None
    positive, decision = run.positive, run.decision
    masks = [(PART_WORDS[part], getattr(run.split, part) & run.graph.labelled) for part in ("val", "test")]
    score = seen.predictions.probabilities[:, positive]
    parts = [RankedPart(name, score[mask], run.graph.y[mask] == positive) for name, mask in masks]
    section = ranking_section(parts, run.graph.class_names[positive], 0.5 if decision is None else decision.threshold)
    rule = rule_in_words("" if decision is None else decision.rule)
    return None if section is None else section | {"rule": rule}


def _recall_of(seen: Seen) -> str:
    """The class whose recall is told by neighbourhood, where accuracy would be that of the other class."""
    run, positive = seen.run, seen.run.positive
    found = run.graph.num_classes == 2 and run.metric != "accuracy" and (run.graph.y[seen.mask] == positive).any()
    return run.graph.class_names[positive] if found else ""


def _taken_apart(seen: Seen) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Charts, tables and single numbers of the part that is looked at closely."""
    run, mask = seen.run, seen.mask
    y, names = run.graph.y[mask], run.graph.class_names
    confusion = confusion_matrix(y, seen.predicted[mask], len(names))
    per_class = class_scores(confusion, names)
    before = run.predict(calibrated=False)
    charts = {"confusion": confusion_chart(confusion, names, seen.part)}
    recall_of = _recall_of(seen)
    told = mask & (run.graph.y == run.positive) if recall_of else mask
    charts |= slice_charts(seen.homophily[told], seen.degree[told], seen.right[told], seen.part, recall_of)
    most_probable = seen.predictions.probabilities.argmax(axis=1) == run.graph.y  # what confidence is about
    charts["calibration"] = calibration_chart(
        {
            "calibrated": seen.predictions.probabilities.max(axis=1)[mask],
            "before calibration": before.probabilities.max(axis=1)[mask],
        },
        most_probable[mask],
        seen.part,
    )
    mistakes = confident_mistakes(run, seen.predictions, mask, seen.degree, seen.homophily)
    tables = {
        "classes": table(["class", "precision", "recall", "F1", "nodes"], [_class_row(c) for c in per_class]),
        "mistakes": table(
            ["id", "true", "predicted", "confidence", "neighbours", "homophily"],
            [
                [m.id, m.true, m.predicted, percent(m.confidence), (number(m.degree), m.degree), number(m.homophily, 2)]
                for m in mistakes
            ],
            words=(0, 1, 2),
        ),
    }
    extra = {
        "macro_f1": macro_f1(per_class),
        "ece": expected_calibration_error(seen.predictions.probabilities[mask], y),
        "ece_before": expected_calibration_error(before.probabilities[mask], y),
        "temperature": run.temperature,
        "mistakes": int((~seen.right[mask]).sum()),
    }
    return charts, tables, extra


def _hops(weights: FusionWeights) -> Any:
    rows = [
        [f"hop {k}", *(f"{number(float(m))} ± {s:.3f}" for m, s in zip(mean, std, strict=True))]
        for k, (mean, std) in enumerate(zip(weights.mean, weights.std, strict=True), 1)
    ]
    return table(["", "self (I)", "low-pass (L)", "high-pass (H)"], rows)


def _class_row(score: ClassScore) -> list[Any]:
    shares = [percent(v) for v in (score.precision, score.recall, score.f1)]
    return [score.name, *shares, (number(score.support), score.support)]
