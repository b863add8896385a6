"""`lsgnn evaluate`: one configuration on every split; mean and std of the test score."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.cli import given_graph, given_settings, options
from lsgnn.cli.show import answer, answer_json, progress, say


def evaluate(
    graph: options.GraphName = None,
    edges: options.Edges = None,
    nodes: options.Nodes = None,
    label: options.Label = None,
    id: options.Id = None,
    column: options.Column = None,
    missing: options.Missing = "impute",
    delimiter: options.Delimiter = None,
    name: options.Name = None,
    model: options.Model = None,
    preset: options.Preset = "default",
    splits: Annotated[str, typer.Option(help="all, one number, or numbers joined by commas.")] = "all",
    metric: options.Metric = None,
    set: options.Set = None,
    engine: options.Engine = "auto",
    jobs: Annotated[int, typer.Option(help="Training runs at the same time.", min=1)] = 2,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON document to this file.")] = None,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Train and test a model on every split of a graph under one protocol."""
    how: dict[str, Any] = dict(missing=missing, delimiter=delimiter, name=name)
    g = given_graph.open_graph(graph, edges, nodes, label, id, column, data_dir, **how)
    model = given_settings.model_name(model, preset)
    drafted, all_splits = given_settings.draft_and_splits(g, preset, set or [], model)
    which = options.parse_splits(splits, len(all_splits))
    options.checked_choice("--engine", engine, ("auto", "cpu", "torch"))
    chosen = [all_splits[s] for s in which]
    measure, drafted, notes = given_settings.metric_and_settings(g, chosen, metric, drafted, preset, set or [])
    for note in notes:
        say(f"note: {note}")
    options.check_places((out, (".json",)))
    from lsgnn.benchmark.evaluate import evaluate as measure_all
    from lsgnn.benchmark.evaluate import shown
    from lsgnn.files import write_json
    from lsgnn.train.metrics import about, digits_of, unit_of

    with progress(f"{g.name}, {len(which)} splits", len(which)) as step:
        result = measure_all(
            g,
            drafted,
            model=model,
            splits=all_splits,
            which=which,
            metric=measure,
            keep_select_by=True,
            engine=engine,  # type: ignore[arg-type]
            workers=jobs,
            on_done=step,
        )
    document = {"dataset": result.dataset, "preset": preset} | result.to_dict()
    if out is not None:
        write_json(out, document)
    if json:
        answer_json(document)
        return
    chosen_by = f"best epoch by {drafted.config.select_by}, seed {drafted.config.seed}"
    answer(f"{model} on {g.name}, preset {preset}, {len(which)} splits, {chosen_by}")
    digits = digits_of(measure)
    scored = f"{shown(document[f'test_{measure}'], digits)} {unit_of(measure)}".rstrip()
    answer(f"test {about(measure).title} {scored}   ({result.seconds:.1f} s)")
    answer("per split " + " ".join(f"{score:.{digits}f}" for score in result.test))
