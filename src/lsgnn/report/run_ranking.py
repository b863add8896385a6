"""The section of a run page on two classes as a ranking: curves, the slider of the threshold, the table of lift.

Thresholds are looked at on validation nodes, where they may be chosen. Curves and lift also show the test nodes: they
have no threshold to choose, and say what the ranking is worth on nodes that nothing was chosen by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from lsgnn.report.charts import Line, curve_chart
from lsgnn.report.charts.canvas import shorten
from lsgnn.report.page import drawn, number, percent, table
from lsgnn.report.ranking import (
    Curve,
    Cut,
    Flags,
    Scores,
    cuts,
    lift_table,
    precision_recall_curve,
    rankable,
    roc_curve,
)

SHOWN_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # flagged, in the table that needs no script


@dataclass(frozen=True, eq=False)
class RankedPart:
    """The labelled nodes of one part of the split: the probability of the class looked for, and who is of it."""

    name: str
    score: Scores
    positive: Flags


def ranking_section(parts: Sequence[RankedPart], of: str, threshold: float) -> dict[str, Any] | None:
    """What the template shows; None where no part has nodes of both kinds.

    Args:
        parts: validation, then test nodes.
        of: the name of the class looked for.
        threshold: the run's own, where the slider starts.
    """
    usable = [part for part in parts if rankable(part.positive)]
    if not usable:
        return None
    lifted, by_name = usable[-1], {part.name: part for part in usable}
    section: dict[str, Any] = {
        "of": of,
        "charts": _charts(usable, of),
        "lift": _lift(lifted),
        "lift_part": lifted.name,
        "lift_chance": float(lifted.positive.mean()),
        "slider": None,
    }
    if (val := by_name.get("validation")) is not None:
        found = cuts(val.score, val.positive, at=[threshold])
        section |= {"slider": _slider(found, threshold), "thresholds": _thresholds(found, threshold, len(val.score))}
    return section


def rule_in_words(rule: str) -> str:
    """How a run chose its threshold; of `Decision.rule`, empty where there is none."""
    kind, _, value = rule.partition("=")
    words = {
        "": "one half, the more probable class",
        "f1": "the one with the highest F1 on validation nodes",
        "cost": f"the one with the lowest cost on validation nodes (missed to wrongly flagged as {value})",
        "precision": f"the one with the highest recall at a precision of {value} or more on validation nodes",
        "recall": f"the one with the highest precision at a recall of {value} or more on validation nodes",
        "given": "the one that was asked for",
    }
    return words.get(kind, rule)


def _charts(parts: Sequence[RankedPart], of: str) -> dict[str, Markup]:
    precision = [precision_recall_curve(part.score, part.positive) for part in parts]
    roc = [roc_curve(part.score, part.positive) for part in parts]
    names, short = " and ".join(part.name for part in parts), shorten(of, 18)  # axes have room for so much

    def lines(curves: Sequence[Curve], area: str) -> list[Line]:
        named = zip(parts, curves, strict=True)
        return [Line(f"{part.name}: {area} {percent(c.area)}", c.xs, c.ys) for part, c in named]

    return {
        "precision_recall": drawn(
            curve_chart(
                f"Precision and recall of {of}, {names} nodes",
                "Precision by recall as the threshold falls; dashed is the share of the class, which chance gives.",
                lines(precision, "AP"),
                f"recall: share of {short} that is found",
                f"precision: share of the flagged that is {short}",
                [(0.0, curve.chance, 1.0, curve.chance) for curve in precision],
                steps=True,
            )
        ),
        "roc": drawn(
            curve_chart(
                f"ROC curve of {of}, {names} nodes",
                "True positive rate by false positive rate as the threshold falls; the dashed diagonal is chance.",
                lines(roc, "area"),
                "false positive rate: share of the others that is flagged",
                f"true positive rate: share of {short} found",
                [(0.0, 0.0, 1.0, 1.0)],
            )
        ),
    }


def _slider(found: Sequence[Cut], threshold: float) -> dict[str, Any]:
    """What the script reads: [threshold, true positives, false positives] from the highest threshold down."""
    first = found[0]
    return {
        "rows": [[one.threshold, one.true_positives, one.false_positives] for one in found],
        "positives": first.true_positives + first.false_negatives,
        "negatives": first.false_positives + first.true_negatives,
        "start": next(i for i, one in enumerate(found) if one.threshold == threshold),
    }


def _thresholds(found: Sequence[Cut], threshold: float, n: int) -> dict[str, Any]:
    """A few thresholds for readers without the script: the run's own, and those that flag a round share of nodes."""
    flagged = np.array([one.flagged for one in found])
    wanted = {int(np.abs(flagged - max(1, share * n)).argmin()) for share in SHOWN_SHARES}
    wanted |= {i for i, one in enumerate(found) if one.threshold == threshold}
    rows = [_row(found[i], threshold) for i in sorted(wanted)]
    return table(["threshold", "flagged", "right", "wrong", "missed", "precision", "recall", "F1"], rows, words=())


def _row(one: Cut, threshold: float) -> list[Any]:
    own = " (this run)" if one.threshold == threshold else ""
    counts = [one.flagged, one.true_positives, one.false_positives, one.false_negatives]
    return [
        f"{one.threshold:.4f}{own}",
        *(number(count) for count in counts),
        *(percent(share) for share in (one.precision, one.recall, one.f1)),
    ]


def _lift(part: RankedPart) -> dict[str, Any]:
    rows = [
        [
            f"top {100 * row.share:g} %",
            number(row.nodes),
            number(int(row.positives) if row.positives == int(row.positives) else row.positives, 1),
            percent(row.precision),
            percent(row.recall),
            f"{row.lift:.1f} ×",
        ]
        for row in lift_table(part.score, part.positive)
    ]
    return table(["by score", "nodes", "of the class", "precision", "share of all", "lift"], rows)
