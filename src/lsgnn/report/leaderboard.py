"""The leader board of a `Comparison` for a page: one chart and one table of test scores over splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsgnn.benchmark.evaluate import shown, summary
from lsgnn.report.charts import RangeRow, range_chart
from lsgnn.report.intervals import mean_interval
from lsgnn.report.page import drawn, number, table

if TYPE_CHECKING:
    from lsgnn.benchmark.comparison import Comparison


def leaderboard(comparison: Comparison) -> dict[str, Any]:
    """Rows in the order of the comparison, best first."""
    chart_rows, rows = [], []
    for row in comparison.rows:
        score = mean_interval(row.test)
        series = 0 if row.model == "lsgnn" else 7
        chart_rows.append(RangeRow(row.title, score.mean, f"{score.mean:.1f} %", score.interval, series=series))
        gap = ("best", 0.0) if row.difference is None else (str(row.difference), row.difference.mean)
        parameters = (number(row.num_parameters), row.num_parameters)
        rows.append([row.title, shown(summary(row.test)), gap, parameters, f"{row.seconds:.1f}"])
    words = "Mean test score of each model over splits and its 95 % interval, best first."
    axis = f"test {comparison.metric}, % (line: 95 % interval)"
    return {
        "dataset": comparison.dataset,
        "metric": comparison.metric,
        "splits": len(comparison.splits),
        "chart": drawn(range_chart("Leader board", words, chart_rows, axis)),
        "table": table(["model", f"{comparison.metric}, %", "to the best [95 %]", "parameters", "seconds"], rows),
    }
