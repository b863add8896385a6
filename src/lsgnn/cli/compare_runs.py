"""`lsgnn compare-runs`: trained runs on one graph side by side, down to the nodes they disagree about."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.cli import given_settings, options
from lsgnn.cli.show import answer, answer_json, say
from lsgnn.errors import InputError

SHOWN = 10  # disagreements in the terminal: the page has all


def compare_runs(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN RUN...", help="Folders written by `lsgnn fit --out`.")],
    metric: options.Metric = None,
    report: Annotated[Path | None, typer.Option(help="File for a self-contained report page, .html.")] = None,
    show_test: Annotated[
        bool, typer.Option("--show-test", help="Name the true classes of test nodes, once all choices are made.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Score runs on the nodes they share and show the nodes they disagree about."""
    given_settings.checked_metric(metric)
    options.check_places((report, (".html",)))
    if len(set(runs)) < len(runs):
        raise InputError("a run is named twice: name each once")
    if len(runs) < 2:
        raise InputError("one run is nothing to compare: name two or more folders")
    from lsgnn.report.compared_runs import compared_runs
    from lsgnn.runs.run import Run

    compared = compared_runs(
        dict(zip(names_of(runs), map(Run.load, runs), strict=True)), given_settings.checked_metric(metric)
    )
    if report is not None:
        from lsgnn.report import write_runs_page

        write_runs_page(compared, report, show_test=show_test)
    if json:
        from lsgnn.report.compared_runs_json import document_of

        answer_json(document_of(compared, show_test))
        return
    for note in compared.notes:
        say(f"note: {note}")
    for line in lines_of(compared, show_test):
        answer(line)
    if report is not None:
        answer(f"report written to {report}")


def names_of(runs: list[Path]) -> list[str]:
    """The folders' own names where these differ, else the paths as they were typed."""
    names = [run.expanduser().resolve().name for run in runs]
    return names if len(set(names)) == len(names) else [str(run) for run in runs]


def lines_of(compared: Any, show_test: bool) -> list[str]:
    """The verdict, a line per run, and the nodes that the runs are sure about and disagree on."""
    from lsgnn.report.disagreements import disagreements
    from lsgnn.report.node_table import PART_NAMES
    from lsgnn.report.runs_verdict import verdict_of_runs
    from lsgnn.train.metrics import about, shown

    width = max(map(len, compared.names))
    lines = []
    for name in compared.ranking():
        scores = [(part, compared.score(name, part)) for part in ("val", "test")]
        told = ", ".join(f"{part} {shown(compared.metric, score.mean)}" for part, score in scores if score is not None)
        lines.append(
            f"{name:>{width}}  {compared.runs[name].title}  {about(compared.metric).title}: {told or 'no shared nodes'}"
        )
    lines += verdict_of_runs(compared)
    nodes = disagreements(compared, show_test=show_test)
    for id, part, true, *said in nodes.rows[:SHOWN]:
        known = f", true {nodes.classes[true]}" if true >= 0 else ""
        answers = ", ".join(
            f"{name} {nodes.classes[c]} {p:.0%}" for name, (c, p) in zip(compared.names, said, strict=True)
        )
        lines.append(f"node {id} ({PART_NAMES[part]}{known}): {answers}")
    return lines
