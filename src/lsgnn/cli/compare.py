"""`lsgnn compare`: a leader board of several models on the user's own graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.cli import given_graph, given_settings, options
from lsgnn.cli.show import answer, answer_json, model_trial_progress, progress, say

DEFAULT = "majority,mlp,gcn,sgc,gprgnn,linkx,lsgnn"


def compare(
    graph: options.GraphName = None,
    edges: options.Edges = None,
    nodes: options.Nodes = None,
    label: options.Label = None,
    id: options.Id = None,
    column: options.Column = None,
    missing: options.Missing = "impute",
    delimiter: options.Delimiter = None,
    name: options.Name = None,
    models: Annotated[str, typer.Option(help="Names joined by commas, or all.")] = DEFAULT,
    splits: Annotated[str, typer.Option(help="all, one number, or numbers joined by commas.")] = "all",
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="[MODEL.]NAME=VALUE",
            help="Set a hyperparameter of one model, or of every compared model that has it; repeatable.",
        ),
    ] = None,
    tune: Annotated[int, typer.Option(help="Trials to tune each model with, on validation nodes only.", min=0)] = 0,
    metric: options.Metric = None,
    store: Annotated[Path | None, typer.Option(help="Folder of finished units and studies; goes on from it.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes that train, one thread each.", min=1)] = 2,
    report: Annotated[Path | None, typer.Option(help="File for a self-contained report page, .html.")] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON document to this file.")] = None,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Train several models under one protocol, rank them by validation score and say which one to take."""
    how: dict[str, Any] = dict(missing=missing, delimiter=delimiter, name=name)
    g = given_graph.open_graph(graph, edges, nodes, label, id, column, data_dir, **how)
    given_settings.checked_metric(metric)
    options.check_places((report, (".html",)), (out, (".json",)))
    from lsgnn import zoo
    from lsgnn.benchmark.changes import changes_by_model
    from lsgnn.benchmark.compare import compare as race
    from lsgnn.benchmark.fit_again import command_that_fits
    from lsgnn.files import write_json
    from lsgnn.graph.split_checks import default_splits

    names = zoo.names() if models == "all" else tuple(name.strip() for name in models.split(",") if name.strip())
    changes = changes_by_model(names, given_settings.parse_settings(set or []))
    all_splits = default_splits(g)
    which = options.parse_splits(splits, len(all_splits))
    with (
        model_trial_progress(tune) as on_trial,
        progress(f"{len(names)} models × {len(which)} splits", len(names) * len(which), shown=not tune) as step,
    ):
        comparison = race(
            g,
            names,
            splits=all_splits,
            which=which,
            metric=given_settings.checked_metric(metric),
            changes=changes,
            tune=tune,
            store=store,
            workers=jobs,
            on_done=step,
            on_trial=lambda name, study: on_trial(f"tuning {name}", study),
        )
    typed = given_graph.as_typed(graph, edges, nodes, label, id, column, **how, data_dir=data_dir)
    command = command_that_fits(typed, comparison.chosen.model, comparison.chosen.for_fit)
    document = comparison.to_dict() | {"tuning_trials": tune, "fit_command": command}
    if out is not None:
        write_json(out, document)
    if report is not None:
        from lsgnn.report import write_comparison_page

        write_comparison_page(comparison, report, command)
    if json:
        answer_json(document)
        return
    for note in comparison.notes:
        say(f"note: {note}")
    for line in comparison.to_markdown().split("\n")[:-1]:
        answer(line)
    answer(f"next: {command}")
