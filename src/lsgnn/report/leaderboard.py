"""The leader board of a `Comparison` for a page: charts of validation and test scores, tables, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from lsgnn.benchmark.evaluate import shown, summary
from lsgnn.benchmark.fit_again import call_that_fits
from lsgnn.benchmark.score_scale import range_of, titled
from lsgnn.report.charts import RangeRow, range_chart
from lsgnn.report.charts.canvas import padded
from lsgnn.report.intervals import mean_interval
from lsgnn.report.page import NOT_DEFINED, drawn, number, table

if TYPE_CHECKING:
    from lsgnn.benchmark.comparison import Comparison, Row
    from lsgnn.benchmark.difference import Difference

MAX_COLUMNS = 8  # of classes or models beside each other: more would scroll sideways


def leaderboard(comparison: Comparison, command: str = "") -> dict[str, Any]:
    """Rows in the order of the comparison, best validation score first; `command` fits the chosen model."""
    chosen, told = comparison.chosen, [row for row in comparison.rows if row.recall]
    kept = len(told) if len(comparison.class_names) <= MAX_COLUMNS else MAX_COLUMNS
    return {
        "dataset": comparison.dataset,
        "metric": comparison.metric,
        "splits": len(comparison.splits),
        "verdict": comparison.verdict.sentences,
        "next": command or call_that_fits(chosen.model, chosen.for_fit),
        "notes": comparison.notes,
        "val_chart": _chart(comparison, "validation"),
        "test_chart": _chart(comparison, "test"),
        "table": _table(comparison),
        "classes": _classes(told[:kept], comparison.class_names),
        "left_out": len(told[kept:]),
        "configurations": [(row.title, list(_settings(row).items())) for row in comparison.rows],
    }


def _chart(comparison: Comparison, part: str) -> Markup:
    """Of every model the mean, its interval as far as scores can go, and the score of each split."""
    lowest, highest = range_of(comparison.metric)
    rows, numbers = [], []
    for row in comparison.rows:
        scores = row.val if part == "validation" else row.test
        mean = mean_interval(scores)
        inner = None if mean.interval is None else (max(mean.low, lowest), min(mean.high, highest))
        points = tuple((f"split {s}", score) for s, score in zip(comparison.splits, scores, strict=True))
        series = 0 if row.model == comparison.verdict.model else 7
        rows.append(RangeRow(row.title, mean.mean, f"{mean.mean:.1f}", inner, series=series, points=points))
        numbers += [*scores, *(inner or ())]
    low, high = padded(min(numbers), max(numbers))
    words = f"Mean {part} score of each model over splits, its 95 % interval and every split; best on validation first."
    axis = f"{part} {titled(comparison.metric)} (line: 95 % interval)"
    return drawn(range_chart(part.capitalize(), words, rows, axis, (max(low, lowest), min(high, highest))))


def _table(comparison: Comparison) -> dict[str, Any]:
    metric = titled(comparison.metric)
    head = ["model", f"validation {metric}", "to the first [95 %]", f"test {metric}", "to the first [95 %]"]
    rows = [
        [
            row.title,
            (shown(summary(row.val)), row.mean_val),
            _gap(row.val_difference),
            (shown(summary(row.test)), row.mean),
            _gap(row.test_difference),
            (number(row.num_parameters), row.num_parameters),
            NOT_DEFINED if row.cpu_seconds is None else f"{row.cpu_seconds:.1f}",
        ]
        for row in comparison.rows
    ]
    return table([*head, "parameters", "CPU seconds"], rows)


def _gap(difference: Difference | None) -> tuple[str, float]:
    return ("first", 0.0) if difference is None else (str(difference), difference.mean)


def _classes(told: Sequence[Row], class_names: Sequence[str]) -> dict[str, Any] | None:
    """Recall of each class by each model, whichever are fewer in columns; None where no unit tells."""
    if not told:
        return None
    if len(told) <= len(class_names):
        by_class: list[Sequence[Any]] = [
            [name, *(number(row.recall[c], 1) for row in told)] for c, name in enumerate(class_names)
        ]
        return table(["class", *(row.title for row in told)], by_class)
    by_model: list[Sequence[Any]] = [[row.title, *(number(share, 1) for share in row.recall)] for row in told]
    return table(["model", *class_names], by_model)


def _settings(row: Row) -> dict[str, str]:
    """Every hyperparameter; several values where splits differ."""
    configs = [unit.config for unit in row.units]
    return {
        name: ", ".join(dict.fromkeys(str(config.get(name, NOT_DEFINED)) for config in configs)) for name in configs[0]
    }
