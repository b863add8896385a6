"""`lsgnn fit`: train a model on a graph, write the run and the predictions of every node."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from lsgnn.cli import options, stores
from lsgnn.cli.show import answer, answer_json, progress, say
from lsgnn.errors import InputError


def fit(
    graph: options.GraphName = None,
    edges: options.Edges = None,
    nodes: options.Nodes = None,
    label: options.Label = None,
    id: options.Id = None,
    column: options.Column = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the run (weights, configuration, graph, …).")] = None,
    predictions: Annotated[Path | None, typer.Option(help="File for the predictions, .csv or .parquet.")] = None,
    spreadsheet_safe: options.SpreadsheetSafe = False,
    report: Annotated[Path | None, typer.Option(help="File for a self-contained report page, .html.")] = None,
    split: Annotated[int, typer.Option(help="Which of the splits to train on.")] = 0,
    model: options.Model = None,
    members: Annotated[int, typer.Option(help="Number of seeds to ensemble (probabilities are averaged).", min=1)] = 1,
    preset: options.Preset = "default",
    set: options.Set = None,
    engine: options.Engine = "auto",
    batch_size: Annotated[int, typer.Option(help="Rows of one step, where GRAPH is a store.", min=1)] = 8192,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Train a model on a graph: a dataset name, a .npz file, --edges/--nodes tables, or a store."""
    start = time.perf_counter()
    from lsgnn.out_of_core.manifest import is_store

    if graph is not None and is_store(graph):
        stores.refuse(edges=edges, nodes=nodes, label=label, id=id, column=column, data_dir=data_dir)
        stores.refuse(spreadsheet_safe=spreadsheet_safe)
        stores.refuse(report=report, split=split, members=members - 1, engine=engine != "auto", model=model)
        stores.fit_store(graph, out, predictions, batch_size, preset, set or [], json)
        return
    if spreadsheet_safe and predictions is None:
        raise InputError("--spreadsheet-safe is for predictions: pass --predictions FILE too, or drop it")
    options.check_places((out, ()), (predictions, (".csv", ".parquet")), (report, (".html",)))
    if out is not None:
        from lsgnn.runs.checkpoint import require_place

        require_place(out.expanduser())
    g = options.open_graph(graph, edges, nodes, label, id, column, data_dir)
    name = options.model_name(model, preset)
    config, splits = options.settings_and_splits(g, preset, set or [], name, probe=True)
    options.checked_choice("--engine", engine, ("auto", "cpu", "torch"))
    from lsgnn.runs.fit import fit as train

    with progress(f"training on {g.name}", config.epochs * members) as step:
        run = train(
            g,
            config,
            model=name,
            split=split,
            splits=splits,
            engine=engine,  # type: ignore[arg-type]
            members=members,
            on_epoch=step,
        )
    if out is not None:
        run.save(out)
    if predictions is not None:
        run.predict().save(predictions, spreadsheet_safe=spreadsheet_safe)
    if report is not None:
        from lsgnn.report import write_run_page

        write_run_page(run, report)
    if json:
        answer_json(run.summary())
        return
    for note in run.notes:
        say(f"note: {note}")
    for name, value in run.metrics.items():
        if name.endswith("accuracy"):
            answer(f"{name.removesuffix('_accuracy'):>5} accuracy {100 * value:6.2f} %")
    if "val_accuracy_one_member" in run.metrics:
        alone = 100 * run.metrics["val_accuracy_one_member"]
        answer(f"ensemble of {members} seeds: {run.ensemble_gain:+.2f} points on validation over one ({alone:.2f} %)")
    times = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in run.seconds.items())
    answer(f"best epoch {run.trained.best_epoch} of {len(run.trained.history)}; {times}")
    for what, path in (("run", out), ("predictions", predictions), ("report", report)):
        if path is not None:
            answer(f"{what} written to {path}")
    say(f"done in {time.perf_counter() - start:.1f} s")
