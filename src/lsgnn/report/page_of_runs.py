"""`runs_page`: several runs on one graph as one HTML file: scores, curves, hyperparameters and disagreements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from lsgnn.benchmark.score_scale import titled
from lsgnn.files import write_text
from lsgnn.report.charts import Line, RangeRow, line_chart, range_chart
from lsgnn.report.compared_runs import ComparedRuns, Pair, compared_runs
from lsgnn.report.disagreements import disagreements
from lsgnn.report.intervals import Estimate
from lsgnn.report.page import NOT_DEFINED, drawn, number, percent, render, table
from lsgnn.report.run_charts import zoomed
from lsgnn.report.runs_verdict import verdict_of_runs
from lsgnn.report.scoring import brief, title_of
from lsgnn.runs.run import Run
from lsgnn.train.metrics import Metric, about, displayed

PARTS: tuple[tuple[Any, str], ...] = (("val", "validation"), ("test", "test"))


def runs_page(runs: Mapping[str, Run] | ComparedRuns, metric: Metric | None = None, *, show_test: bool = False) -> str:
    """The whole page as text.

    Args:
        runs: name → run, all on one graph, or what `compared_runs` has made of them.
        metric: what to score all of them by (default: their own).
        show_test: name the true classes of test nodes; only when all choices have been made.
    """
    compared = runs if isinstance(runs, ComparedRuns) else compared_runs(runs, metric)
    first, names = compared.first, compared.names
    counts = {part: int(compared.shared(part).sum()) for part, _ in PARTS}
    return render(
        "runs.html",
        title=f"{first.graph.name}: {len(names)} runs",
        graph=first.graph,
        scored_by=title_of(compared.metric, first.graph.class_names, first.positive),
        verdict=verdict_of_runs(compared),
        notes=compared.notes,
        counts=counts,
        tables={
            "runs": _runs(compared),
            "pairs": _pairs(compared) if counts["val"] else None,
            "agreement": _agreement(compared),
        },
        hyperparameters=_hyperparameters(compared),
        charts={
            "scores": [_scores(compared, part, words) for part, words in PARTS if compared.score(names[0], part)],
            "curves": curves(compared.runs, compared.metric),
        },
        nodes=disagreements(compared, show_test=show_test),
        untrained=int(compared.untrained.sum()),
        show_test=show_test,
    )


def write_runs_page(
    runs: Mapping[str, Run] | ComparedRuns, path: str | Path, metric: Metric | None = None, *, show_test: bool = False
) -> None:
    """Writes the page, whole or not at all."""
    write_text(path, runs_page(runs, metric, show_test=show_test))


def curves(runs: Mapping[str, Run], metric: Metric) -> list[Markup]:
    """Validation loss and score by epoch, one line per run (the first of its members) that has epochs."""
    told = {name: run.trained.history for name, run in runs.items() if run.trained.history}
    charts = []
    for key, title in (("val_loss", "loss"), (f"val_{metric}", about(metric).title)):
        lines = [
            Line(name, [e["epoch"] for e in history], [float(e[key]) for e in history])  # type: ignore[literal-required]
            for name, history in told.items()
            if key in history[0]
        ]
        if lines:
            words = "One line per run; runs that do not note this down by epoch have none."
            limits = None if key == "val_loss" else zoomed([y for one in lines for y in one.ys])
            chart = line_chart(
                f"Validation {title} by epoch", words, lines, "epoch", f"validation {title}", None, limits
            )
            charts.append(drawn(chart))
    return charts


def _scores(compared: ComparedRuns, part: Any, words: str) -> Markup:
    metric, ranked, rows = compared.metric, compared.ranking(), []
    for name in ranked:
        if (score := compared.score(name, part)) is not None:
            mean, low, high = (displayed(metric, v) for v in (score.mean, score.low, score.high))
            series = 0 if name == ranked[0] else 7
            rows.append(RangeRow(name, mean, brief(metric, score.mean), (low, high), series=series))
    said = f"Score of each run on the {words} nodes that all share, with its 95 % interval; best on validation first."
    axis = f"{words} {titled(metric)} (line: 95 % interval)"
    return drawn(range_chart(f"{words.capitalize()} {about(metric).title}", said, rows, axis))


def _runs(compared: ComparedRuns) -> dict[str, Any]:
    rows = []
    for name in compared.ranking():
        run = compared.runs[name]
        scores = [compared.score(name, part) for part, _ in PARTS]
        train = sum(run.seconds.values())
        rows.append(
            [
                name,
                run.title,
                *(_estimate(compared.metric, score) for score in scores),
                number(run.metrics.get("val_ece")),
                (number(run.trained.best_epoch), run.trained.best_epoch) if run.trained.history else NOT_DEFINED,
                (f"{train:.1f}", train),
            ]
        )
    heads = ["run", "model", "validation [95 %]", "test [95 %]", "ECE", "best epoch", "seconds"]
    return table(heads, rows, words=(0, 1))


def _estimate(metric: Metric, score: Estimate | None) -> tuple[str, float] | str:
    if score is None:
        return NOT_DEFINED
    around = (
        "" if score.interval is None else f" [{displayed(metric, score.low):.4g}, {displayed(metric, score.high):.4g}]"
    )
    return f"{brief(metric, score.mean)}{around}", score.mean


def _pairs(compared: ComparedRuns) -> dict[str, Any]:
    best, *others = compared.ranking()
    rows = [[name, *_pair(compared.metric, compared.pair(best, name, "val"))] for name in others]
    return table([f"{best} and", "both right", "only it", "only the other", "both wrong", "lead [95 %]"], rows)


def _pair(metric: Metric, pair: Pair) -> list[Any]:
    counts = [(number(n), n) for n in (pair.both, pair.only_first, pair.only_second, pair.neither)]
    return [*counts, NOT_DEFINED if pair.lead is None else lead_in_words(metric, pair.lead)]


def lead_in_words(metric: Metric, lead: Estimate) -> str:
    """A difference of scores with its interval: +1.20 [−0.40, +2.80] points."""
    digits = 2 if about(metric).percent else 3
    values = [f"{displayed(metric, v):+.{digits}f}".replace("-", "−") for v in (lead.mean, lead.low, lead.high)]
    around = "" if lead.interval is None else f" [{values[1]}, {values[2]}]"
    return f"{values[0]}{around}{' points' if about(metric).percent else ''}"


def _agreement(compared: ComparedRuns) -> dict[str, Any]:
    shares = compared.agreement
    rows = [
        [name, *(NOT_DEFINED if a == b else percent(float(shares[a, b])) for b in range(len(shares)))]
        for a, name in enumerate(compared.names)
    ]
    return table(["", *compared.names], rows)


def _hyperparameters(compared: ComparedRuns) -> dict[str, Any] | None:
    """What differs between configurations that have it, and what only one of them has; None where nothing differs."""
    runs = compared.runs.values()
    configs = [{"model": run.model, **run.config.to_dict(), "members": len(run.members)} for run in runs]
    names = dict.fromkeys(name for config in configs for name in config)
    values = {name: [str(config.get(name, NOT_DEFINED)) for config in configs] for name in names}
    differ = {name: said for name, said in values.items() if len(set(said)) > 1}
    own = {name for name in differ if sum(name in config for config in configs) == 1}
    head, words = ["", *compared.names], range(len(configs) + 1)
    if not differ:
        return None
    return {
        "shared": table(head, [[name, *said] for name, said in differ.items() if name not in own], words),
        "own": table(head, [[name, *said] for name, said in differ.items() if name in own], words),
    }
