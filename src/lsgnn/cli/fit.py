"""`lsgnn fit`: train a model on a graph, write the run and the predictions of every node."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsgnn.cli import given_graph, given_settings, options, stores
from lsgnn.cli.characters import visible
from lsgnn.cli.scores import score_lines
from lsgnn.cli.show import answer, answer_json, progress, say, search_progress
from lsgnn.errors import InputError

if TYPE_CHECKING:
    from lsgnn.graph.graph import Graph
    from lsgnn.runs.run import Run


def fit(
    graph: options.GraphName = None,
    edges: options.Edges = None,
    nodes: options.Nodes = None,
    label: options.Label = None,
    id: options.Id = None,
    column: options.Column = None,
    missing: options.Missing = "impute",
    delimiter: options.Delimiter = None,
    name: options.Name = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the run (weights, configuration, graph, …).")] = None,
    continued: Annotated[
        Path | None,
        typer.Option(
            "--continue",
            metavar="RUN",
            help="Train this run again as it was configured, on its graph and the nodes that `lsgnn serve` has kept.",
        ),
    ] = None,
    journal: Annotated[
        Path | None, typer.Option(help="--continue: file of the kept nodes (default: journal.sqlite in RUN).")
    ] = None,
    predictions: Annotated[Path | None, typer.Option(help="File for the predictions, .csv or .parquet.")] = None,
    spreadsheet_safe: options.SpreadsheetSafe = False,
    report: Annotated[Path | None, typer.Option(help="File for a self-contained report page, .html.")] = None,
    split: Annotated[int, typer.Option(help="Which of the splits to train on.")] = 0,
    model: Annotated[
        str | None,
        typer.Option(help="Any that `lsgnn models` lists (default: lsgnn), or auto: a search over all of them."),
    ] = None,
    metric: options.Metric = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            help="Two classes: how validation nodes choose the probability from which on a node is positive: f1 (the "
            "default for metrics but accuracy and log_loss), precision=0.9, recall=0.8, or a number. The rarer of the "
            "two classes is the positive one."
        ),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="FN:FP",
            help="Threshold of least cost: of a missed : of a false positive (the rarer of the two classes).",
        ),
    ] = None,
    minutes: Annotated[float | None, typer.Option(help="--model auto: wall time of the search (default: 10).")] = None,
    trials: Annotated[
        int | None,
        typer.Option(help="--model auto: training runs; without --minutes it is deterministic.", min=1),
    ] = None,
    storage: Annotated[
        Path | None, typer.Option(help="--model auto: folder for its journal; a search that was stopped goes on.")
    ] = None,
    stop_early: Annotated[
        bool, typer.Option(help="--model auto: end before the budget is used up when more trials stop paying.")
    ] = True,
    jobs: Annotated[int, typer.Option(help="--model auto: training runs at the same time.", min=1)] = 2,
    members: Annotated[
        int | None,
        typer.Option(
            help="Number of seeds to ensemble (probabilities are averaged).",
            min=1,
            show_default="up to 5 if no hyperparameter is set and they take seconds, else 1",
        ),
    ] = None,
    preset: options.Preset = "default",
    set: options.Set = None,
    engine: options.Engine = "auto",
    batch_size: Annotated[int, typer.Option(help="Rows of one step, where GRAPH is a store.", min=1)] = 8192,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Train a model on a graph: a dataset name, a file or folder, --edges/--nodes tables, or a store."""
    start = time.perf_counter()
    from lsgnn.out_of_core.manifest import is_store

    if spreadsheet_safe and predictions is None:
        raise InputError("--spreadsheet-safe is for predictions: pass --predictions FILE too, or drop it")
    options.checked_choice("--engine", engine, ("auto", "cpu", "torch"))
    if graph is not None and is_store(graph):
        stores.refuse(edges=edges, nodes=nodes, label=label, id=id, column=column, data_dir=data_dir)
        stores.refuse(missing=missing != "impute", delimiter=delimiter, name=name)
        stores.refuse(minutes=minutes, trials=trials, storage=storage, no_stop_early=not stop_early)
        stores.refuse(split=split, model=model not in (None, "lsgnn") and model)
        decided: dict[str, Any] = dict(metric=given_settings.checked_metric(metric), threshold=threshold, cost=cost)
        where: dict[str, Any] = dict(predictions=predictions, spreadsheet_safe=spreadsheet_safe, report=report)
        how_done: dict[str, Any] = dict(members=members or 1, batch_size=batch_size, engine=engine)
        stores.fit_store(graph, out, preset=preset, changes=set or [], json=json, **where, **decided, **how_done)
        return
    options.check_places((out, ()), (predictions, (".csv", ".parquet")), (report, (".html",)))
    if out is not None:
        from lsgnn.runs.checkpoint import require_place

        require_place(out.expanduser())
    decides = {"metric": given_settings.checked_metric(metric), "threshold": threshold, "cost": cost}
    budget = {"minutes": minutes, "trials": trials, "storage": storage}
    stray = [option for option, value in budget.items() if value is not None] + ["no-stop-early"] * (not stop_early)
    alone = {"preset": preset != "default", "set": set, "engine": engine != "auto", "members": members}
    if journal is not None and continued is None:
        raise InputError("--journal is for a run that is trained again: pass --continue RUN too, or drop it")
    if continued is not None:
        tables: dict[str, Any] = dict(graph=graph, edges=edges, nodes=nodes, label=label, id=id, column=column)
        tables |= {"missing": missing != "impute", "delimiter": delimiter, "name": name}
        refuse_for_continued(tables | decides | dict.fromkeys(stray, True) | alone | {"split": split, "model": model})
        run = trained_again(continued.expanduser(), journal)
    else:
        how: dict[str, Any] = dict(missing=missing, delimiter=delimiter, name=name)
        g = given_graph.open_graph(graph, edges, nodes, label, id, column, data_dir, **how)
        model = "auto" if model == "auto" else given_settings.model_name(model, preset)
        if model == "auto":
            refuse_for_auto(alone)
            run = searched(g, split, decides | budget | {"stop_early": stop_early}, jobs)
        else:
            if stray:
                raise InputError(f"--{stray[0]} is for a search over models: pass --model auto too, or drop it")
            run = trained(g, model, split, preset, set or [], decides, engine=engine, members=members or "auto")
    if out is not None:
        with progress(f"writing {out}", None):
            run.save(out)
    if predictions is not None:
        with progress(f"predicting {run.graph.name}", None):
            run.predict().save(predictions, spreadsheet_safe=spreadsheet_safe)
    if report is not None:
        from lsgnn.report import write_run_page

        with progress(f"writing {report}", None):
            write_run_page(run, report)
    if json:
        answer_json(run.summary())
        return
    for note in run.notes:
        say(f"note: {note}")
    for line in (*board_lines(run), *score_lines(run, run.graph.class_names)):
        answer(line)
    times = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in run.seconds.items())
    answer(
        f"best epoch {run.trained.best_epoch} of {len(run.trained.history)}; {times}" if run.model != "auto" else times
    )
    for what, path in (("run", out), ("predictions", predictions), ("report", report)):
        if path is not None:
            answer(f"{what} written to {path}")
    say(f"done in {time.perf_counter() - start:.1f} s")


def trained(
    graph: Graph, model: str, split: int, preset: str, changes: list[str], decides: dict[str, Any], **how: Any
) -> Run:
    """One model with its preset, or with what the validation nodes choose."""
    from lsgnn.runs.fit import fit as train

    drafted, splits = given_settings.draft_and_splits(graph, preset, changes, model)
    _, drafted, _ = given_settings.metric_and_settings(
        graph, [splits[split]], decides["metric"], drafted, preset, changes
    )
    what = f"training on {graph.name}"
    with progress(what, drafted.config.epochs) as step:

        def on_stage(stage: str) -> None:
            step(description=visible(f"{what}, {stage}"), completed=0)

        shared: dict[str, Any] = dict(model=model, split=split, splits=splits, on_epoch=step, on_stage=on_stage)
        return train(graph, drafted, select_by=drafted.config.select_by, **shared, **decides, **how)


def trained_again(folder: Path, journal: Path | None) -> Run:
    """A run with the nodes that its server has kept."""
    from lsgnn.runs.run import Run
    from lsgnn.serving.continued import continued
    from lsgnn.serving.journal import NAME

    with progress(f"reading {folder}", None):
        run = Run.load(folder)
    with progress(f"training again on {run.graph.name}", run.config.epochs * len(run.members)) as step:
        return continued(run, folder / NAME if journal is None else journal.expanduser(), on_epoch=step)


def refuse_for_continued(given: dict[str, Any]) -> None:
    for option, value in given.items():
        if value:
            what = "GRAPH" if option == "graph" else f"--{option}"
            raise InputError(f"--continue trains a run as it was configured, on its own graph: drop {what}")


def searched(graph: Graph, split: int, settings: dict[str, Any], workers: int) -> Run:
    """The best answer of all models."""
    from lsgnn.auto.best_answer import MINUTES
    from lsgnn.auto.fit import fit as search

    given = settings["minutes"]
    if given is not None and not 0 < given < math.inf:
        raise InputError(f"--minutes {given:g} is out of range: it must be above 0, and finite")
    minutes = given or (None if settings["trials"] else MINUTES)
    with search_progress(f"searching on {graph.name}", settings["trials"], minutes) as on_trial:
        return search(graph, model="auto", split=split, workers=workers, on_trial=on_trial, **settings)


def refuse_for_auto(given: dict[str, Any]) -> None:
    for option, value in given.items():
        if value:
            raise InputError(f"--{option} is for a single model, but --model auto chooses: drop it, or name a model")


def board_lines(run: Run) -> list[str]:
    """The leader board of a search, if there was one: best validation score first."""
    from lsgnn.train.metrics import shown, utility

    lines = []
    for row in getattr(run, "board", ()):
        score, trials = shown(run.metric, utility(run.metric, row.val)), f"{row.trials} trial{'s' * (row.trials > 1)}"
        share = f", {100 * row.share:.0f} % of the ensemble" if row.share else ""
        lines.append(f"{row.title:>16} {score:>8} on validation, {trials}, {row.seconds:.0f} CPU s{share}")
    return lines
