"""`python -m paper`: makes the tables and figures of the documentation from stored results, and runs the experiments.

python -m paper                                          # every page, and the README's tables, from paper/results
python -m paper run ablation --datasets texas --jobs 2   # computes what is missing, then renders its page
python -m paper render ablation                          # the page alone
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import paper
from lsgnn.cli import options
from lsgnn.cli.main import run as behave_like_lsgnn
from lsgnn.cli.show import answer, answer_json, progress, say
from lsgnn.cli.start import heed_signals
from paper.places import BENCHMARKS, PAGES, RESULTS

if TYPE_CHECKING:
    from paper.frame import Experiment, Plan, Results

app = typer.Typer(
    help="Re-run the paper's experiments. Without a command: make every page, and the tables in README.md and docs/, "
    "anew from stored results.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Name = Annotated[str, typer.Argument(help=f"{', '.join(paper.names())} or all.")]
Quick = Annotated[bool, typer.Option("--quick", help="A tiny version that proves nothing, kept apart.")]
Raw = Annotated[Path, typer.Option(help="Folder of raw results.", show_default="paper/results")]
Measured = Annotated[Path, typer.Option(help="Folder of measured costs.", show_default="benchmarks/results")]
Out = Annotated[Path | None, typer.Option(help="Folder for tables and figures (default: docs/results).")]


@app.callback(invoke_without_command=True)
def everything(context: typer.Context) -> None:
    """What happens without a command."""
    if context.invoked_subcommand is None:
        from paper.scripts.readme import contents
        from paper.scripts.regenerate import write_stale

        _show(_render(_chosen("all"), RESULTS, BENCHMARKS, None, quick=False) + write_stale(contents()), json=False)


@app.command()
def run(
    name: Name,
    datasets: Annotated[
        str | None, typer.Option(help="Names joined by commas (default: the experiment's own).")
    ] = None,
    models: Annotated[
        str | None, typer.Option("--only", help="Models, joined by commas, where an experiment has a choice of them.")
    ] = None,
    quick: Quick = False,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Compute anew what was made by another version of a model's code, or before that was kept."
        ),
    ] = False,
    results: Raw = RESULTS,
    benchmarks: Measured = BENCHMARKS,
    out: Out = None,
    jobs: Annotated[int, typer.Option(help="Units computed at the same time.", min=1)] = 1,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Re-run an experiment and render its page; what is already in the results folder is not computed again."""
    from lsgnn.datasets import info
    from lsgnn.zoo import get
    from paper.frame import Plan, Results

    chosen = _chosen(name)
    asked, only = _parts(datasets), _parts(models)
    for dataset in asked or ():
        info(dataset)  # a misspelt name is an error before anything runs
    for model in only or ():
        get(model)
    plan = Plan(asked, quick, data_dir, only, None if quick else results / "tuning" / "studies")
    written: list[Path] = []
    for experiment in chosen:
        for line in _compute(experiment, plan, Results(results, experiment.name, quick, benchmarks, fresh), jobs):
            say(f"note: {experiment.name}: {line}")
        written += _render([experiment], results, benchmarks, out, quick)
    _show(written, json)


@app.command()
def render(
    name: Name = "all",
    quick: Quick = False,
    results: Raw = RESULTS,
    benchmarks: Measured = BENCHMARKS,
    out: Out = None,
    json: options.Json = False,
) -> None:
    """Only make tables and figures from stored results."""
    _show(_render(_chosen(name), results, benchmarks, out, quick), json)


def _parts(joined: str | None) -> tuple[str, ...] | None:
    return None if joined is None else tuple(part.strip() for part in joined.split(","))


def _chosen(name: str) -> list[Experiment]:
    return [paper.get(n) for n in (paper.names() if name == "all" else [name])]


def _compute(experiment: Experiment, plan: Plan, stored: Results, jobs: int) -> list[str]:
    """What is missing, under a bar whose total may grow: some units are known only when others are done."""
    from paper.running import run as compute_missing

    with progress(experiment.name, None) as step:
        return compute_missing(experiment, plan, stored, jobs, lambda done, total: step(completed=done, total=total))


def _render(
    experiments: Sequence[Experiment], results: Path, benchmarks: Path, out: Path | None, quick: bool
) -> list[Path]:
    from paper.frame import Results
    from paper.rendering import render as render_page

    folder = out or (results / "quick" / "rendered" if quick else PAGES)
    stored = (Results(results, experiment.name, quick, benchmarks) for experiment in experiments)
    return [path for e, s in zip(experiments, stored, strict=True) for path in render_page(e, s, folder)]


def _show(written: Sequence[Path], json: bool) -> None:
    if json:
        answer_json([str(path) for path in written])
        return
    for path in written:
        answer(str(path))


if __name__ == "__main__":  # the processes of --jobs import this file too
    heed_signals()
    behave_like_lsgnn(app)
