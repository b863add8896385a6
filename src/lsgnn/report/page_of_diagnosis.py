"""`diagnosis_page`: a `Diagnosis` as one HTML file. Chooses charts and words; the numbers come from `diagnosis.py`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from markupsafe import Markup

from lsgnn.files import write_text
from lsgnn.report.bins import degree_label
from lsgnn.report.charts import Bar, Point, RangeRow, bar_chart, column_chart, interval_chart, range_chart
from lsgnn.report.diagnosis import Diagnosis
from lsgnn.report.edge_evidence import told, told_interval
from lsgnn.report.page import drawn, number, percent, render, table
from lsgnn.report.structure import Degrees
from lsgnn.train.metrics import about

MAX_CLASS_BARS = 30


def diagnosis_page(diagnosis: Diagnosis) -> str:
    """The whole page as text."""
    return render(
        "diagnosis.html",
        d=diagnosis,
        title=f"{diagnosis.graph}: what graph is this?",
        command=f"{diagnosis.verdict.command('GRAPH', tried=bool(diagnosis.probes.rows))} --report run.html",
        charts=_charts(diagnosis),
        tables=_tables(diagnosis),
    )


def write_diagnosis_page(diagnosis: Diagnosis, path: str | Path) -> None:
    """Writes the page, whole or not at all."""
    write_text(path, diagnosis_page(diagnosis))


def _charts(d: Diagnosis) -> dict[str, Markup]:
    charts = {"degrees": _degrees(d)}
    if d.measures:
        charts["homophily"] = range_chart(
            "Homophily measures and chance",
            "One row per measure; the dot is this graph, the grey bar the 95 % range under shuffled labels.",
            [RangeRow(m.title, m.value, number(m.value), outer=(m.chance_low, m.chance_high)) for m in d.measures],
            "measure (grey: what shuffled labels give)",
            (min(0.0, *(m.value for m in d.measures if m.value == m.value), 0.0), 1.0),
        )
        charts["classes"] = _classes(d)
    if d.likeness is not None and any(d.likeness.histogram.counts):
        charts["histogram"] = column_chart(
            "Histogram of node homophily",
            "How many labelled nodes have which share of neighbours of their own class.",
            [f"{edge:g}" for edge in d.likeness.histogram.edges],
            d.likeness.histogram.counts,
            "share of neighbours of the node's own class",
            "nodes",
        )
        charts["localsim"] = interval_chart(
            "Node homophily by LocalSim",
            "Mean node homophily, with 95 % interval, in bins of naive LocalSim of about equal size.",
            [
                Point(f"{(b.low + b.high) / 2:.2g}", b.value.mean, b.value.low, b.value.high, b.count)
                for b in d.likeness.homophily_by_localsim
            ],
            f"naive LocalSim, {d.likeness.similarity} (small: number of nodes)",
            "mean node homophily",
        )
    if d.probes.rows:
        metric = about(d.probes.metric)
        charts["probes"] = range_chart(
            f"Validation {metric.title} of quick probes",
            f"One row per model: mean validation {metric.title} over splits and its 95 % interval.",
            [
                RangeRow(
                    row.title,
                    row.score.mean,
                    told(d.probes, row),
                    inner=row.score.interval,
                    series={"majority": 7, "mlp": 1, "sgc": 2, "trees": 3}.get(row.model, 0),
                )
                for row in d.probes.rows
            ],
            f"validation {metric.title}{', %' if metric.percent else ''} (line: 95 % interval)",
        )
    return {name: drawn(chart) for name, chart in charts.items()}


def _degrees(d: Diagnosis) -> str:
    edges = [edge + 0.5 for edge in d.structure.degree_histogram.edges]
    return column_chart(
        "Histogram of degrees",
        "How many nodes have how many neighbours; bins double in width.",
        [degree_label(low, high) for low, high in pairwise(edges)],
        d.structure.degree_histogram.counts,
        "neighbours (either direction)",
        "nodes",
    )


def _classes(d: Diagnosis) -> str:
    pairs = sorted(zip(d.classes.names, d.classes.counts, strict=True), key=lambda pair: -pair[1])[:MAX_CLASS_BARS]
    bars = [Bar(name, count, f"{count:,} ({percent(count / d.classes.labelled)})") for name, count in pairs]
    return bar_chart("Class balance", "Labelled nodes of each class, largest first.", bars, "labelled nodes")


def _tables(d: Diagnosis) -> dict[str, Any]:
    measures = [
        [m.title, number(m.value), number(m.chance), f"{number(m.chance_low)} to {number(m.chance_high)}", m.definition]
        for m in d.measures
    ]
    directions = [
        [
            n.direction,
            number(n.mean_degree, 2),
            number(n.without_neighbours),
            number(n.node_homophily),
            number(n.localsim_correlation, 2),
        ]
        for n in d.neighbourhoods
    ]
    kinds = [
        ("in", d.structure.in_degree),
        ("out", d.structure.out_degree),
        ("either", d.structure.degree),
    ]
    twins = [
        [
            f"same {t.kind}",
            f"{t.nodes_with_twin:,} ({percent(t.share_with_twin)})",
            number(t.largest_group),
            f"{percent(t.label_agreement)} ({percent(t.chance_agreement)} by chance)",
            _points(t.lookup_accuracy),
            _points(t.majority_accuracy),
        ]
        for t in d.twins
    ]
    digits = 2 if about(d.probes.metric).percent else 3
    probes = [[p.title, f"{p.score.mean:.{digits}f}", told_interval(d.probes, p) or "–"] for p in d.probes.rows]
    heads = {
        "measures": ["measure", "this graph", "chance", "95 % of shuffles", "definition"],
        "directions": ["reads", "mean degree", "no neighbour", "homophily", "LocalSim ρ"],
        "degrees": ["degree", "least", "25 %", "median", "75 %", "95 %", "most", "mean"],
        "twins": ["twins", "nodes", "largest group", "labels agree", "look-up accuracy, %", "majority, %"],
        "probes": ["model", "mean, %" if about(d.probes.metric).percent else "mean", "95 % interval"],
    }
    rows = {
        "measures": measures,
        "directions": directions,
        "degrees": [[kind, *_quantiles(degrees)] for kind, degrees in kinds],
        "twins": twins,
        "probes": probes,
    }
    return {name: table(heads[name], rows[name], (0, 4) if name == "measures" else (0,)) for name in heads}


def _quantiles(degrees: Degrees) -> list[str]:
    d = degrees
    counts = (d.least, d.quarter, d.median, d.three_quarters, d.percentile_95, d.most)
    return [*(f"{value:,.1f}".removesuffix(".0") for value in counts), f"{d.mean:.2f}"]


def _points(score: float | None) -> str:
    return number(score, 1)
