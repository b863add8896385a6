"""`lsgnn paper`: run one experiment of the paper (or all), and make its tables and figures from the stored results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from lsgnn import paper as experiments  # only their names: what they need is imported when one runs
from lsgnn.cli import options
from lsgnn.cli.show import answer, answer_json, say


def paper(
    name: Annotated[str, typer.Argument(help=f"{', '.join(experiments.names())} or all.")],
    datasets: Annotated[
        str | None, typer.Option(help="Names joined by commas (default: the experiment's own).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A tiny version that proves nothing, kept apart.")] = False,
    render: Annotated[bool, typer.Option("--render", help="Only make tables and figures from stored results.")] = False,
    results: Annotated[Path, typer.Option(help="Folder of raw results.")] = Path("results"),
    out: Annotated[Path | None, typer.Option(help="Folder for tables and figures (default: docs/results).")] = None,
    jobs: Annotated[int, typer.Option(help="Units computed at the same time.", min=1)] = 1,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Re-run an experiment of the paper; what is already in the results folder is not computed again."""
    from lsgnn.datasets import info
    from lsgnn.paper.frame import Plan, Results
    from lsgnn.paper.rendering import render as render_page
    from lsgnn.paper.running import run

    chosen = [experiments.get(n) for n in (experiments.names() if name == "all" else [name])]
    asked = None if datasets is None else tuple(part.strip() for part in datasets.split(","))
    for dataset in asked or ():
        info(dataset)  # a misspelt name is an error before anything runs
    plan = Plan(asked, quick, data_dir)
    written: list[Path] = []
    for experiment in chosen:
        stored = Results(results, experiment.name, quick)
        if not render:
            with _bar(experiment.name) as move:
                skipped = run(experiment, plan, stored, jobs, move)
            for line in skipped:
                say(f"note: {experiment.name}: {line}")
        folder = out or (results / "paper-quick" / "rendered" if quick else Path("docs") / "results")
        written += render_page(experiment, stored, folder)
    if json:
        answer_json([str(path) for path in written])
        return
    for path in written:
        answer(str(path))


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar whose total may grow, because some units are known only when others are done."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
