"""`lsgnn tune`: search hyperparameters on validation nodes only; resumable, shareable; the outcome is a preset."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.cli import given_graph, given_settings, options, stores
from lsgnn.cli.scores import tuning_lines
from lsgnn.cli.show import answer, answer_json, say, trial_progress
from lsgnn.cli.store_tuning import tune_store
from lsgnn.errors import InputError


def tune(
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
    trials: Annotated[int, typer.Option(help="Optuna trials; for LSGNN after the grid.", min=1)] = 200,
    grid: Annotated[
        bool, typer.Option(help="LSGNN: first train a fixed 36-point β×γ grid on up to three splits.")
    ] = True,
    space: Annotated[str, typer.Option(help="paper or extended (LSGNN only).")] = "paper",
    storage: Annotated[
        Path | None,
        typer.Option(
            help="Study file; the same command goes on from it, to the choice of a search that was not stopped. "
            "Commands may share it; then the order in which their trials end decides."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Training runs at the same time (default: 2); where GRAPH is a store, processes that share the search "
            "(default: 1; with --ray, tasks of the cluster, default: 2).",
            min=1,
            show_default=False,
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(help="GRAPH is a store: search on the Ray cluster at this address ('local': a new one here)."),
    ] = None,
    splits: Annotated[str, typer.Option(help="all, one number, or numbers joined by commas.")] = "all",
    metric: options.Metric = None,
    preset: options.Preset = "default",
    set: options.Set = None,
    minutes: Annotated[float | None, typer.Option(help="Begin no further trial after this time.")] = None,
    rescore: Annotated[int, typer.Option(help="Top trials to score with fresh seeds before selection.", min=1)] = 10,
    resample: Annotated[
        int, typer.Option(help="Resampled splits per split: its training and validation nodes drawn anew.", min=1)
    ] = 1,
    prune: Annotated[bool, typer.Option(help="Stop trials whose first splits are clearly worse.")] = True,
    seed: Annotated[int, typer.Option(help="Of the search.", min=0)] = 0,
    members: Annotated[
        int, typer.Option(help="Size of the seed ensemble, and of the ensemble of configurations, in the test.", min=1)
    ] = 1,
    test: Annotated[bool, typer.Option(help="Read the test nodes once, at the end, with what was chosen.")] = True,
    export: Annotated[Path | None, typer.Option(help="Write the chosen configuration as a preset (.toml).")] = None,
    report: Annotated[Path | None, typer.Option(help="File for a self-contained report page, .html.")] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON document to this file.")] = None,
    batch_size: Annotated[int, typer.Option(help="Rows of one step, where GRAPH is a store.", min=1)] = 8192,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Tune a model on a graph or a store by validation score; test nodes are read once, at the end, if at all."""
    options.checked_choice("--space", space, ("paper", "extended"))
    options.check_places((export, (".toml",)), (report, (".html",)), (out, (".json",)))
    if minutes is not None and not minutes > 0:
        raise InputError(f"--minutes {minutes:g} is out of range: it must be above 0")
    from lsgnn.out_of_core.manifest import is_store

    if graph is not None and is_store(graph):
        stores.refuse(edges=edges, nodes=nodes, label=label, id=id, column=column, data_dir=data_dir)
        stores.refuse(missing=missing != "impute", delimiter=delimiter, name=name)
        stores.refuse(model=model not in (None, "lsgnn"), splits=splits != "all", resample=resample > 1)
        written: dict[str, Any] = dict(export=export, report=report, out=out, json=json)
        wanted: dict[str, Any] = dict(space=space, trials=trials, grid=grid, rescore=rescore, seed=seed)
        wanted |= dict(storage=storage, minutes=minutes, batch_size=batch_size, members=members, test=test)
        wanted |= dict(jobs=jobs, ray=ray)
        tune_store(graph, preset, set or [], metric, **written, **wanted)
        return
    if ray is not None:
        raise InputError(
            "--ray is for stores: `lsgnn precompute` makes one; or start several commands with one --storage"
        )
    jobs = jobs or 2
    how: dict[str, Any] = dict(missing=missing, delimiter=delimiter, name=name)
    g = given_graph.open_graph(graph, edges, nodes, label, id, column, data_dir, **how)
    model = given_settings.model_name(model, preset)
    drafted, all_splits = given_settings.draft_and_splits(g, preset, set or [], model)
    which = options.parse_splits(splits, len(all_splits))
    chosen = [all_splits[s] for s in which]
    measure, drafted, notes = given_settings.metric_and_settings(g, chosen, metric, drafted, preset, set or [])
    for note in notes:
        say(f"note: {note}")
    from lsgnn.benchmark.evaluate import shown
    from lsgnn.files import write_json, write_text
    from lsgnn.graph.resampled_splits import resampled
    from lsgnn.train.metrics import about, digits_of
    from lsgnn.tuning import tune as search

    with trial_progress(f"tuning {model} on {g.name}", trials) as on_trial:
        tuning = search(
            g,
            model=model,
            space=space,  # type: ignore[arg-type]
            trials=trials,
            base=drafted,
            splits=all_splits if resample == 1 else resampled(all_splits.take(which), g.y, resample),
            which=which if resample == 1 else None,
            metric=measure,
            keep_select_by=True,
            storage=storage,
            prune=prune,
            grid=grid,
            timeout=math.inf if minutes is None else 60 * minutes,
            rescore=rescore,
            seed=seed,
            workers=jobs,
            on_trial=on_trial,
        )
    document: dict[str, Any] = {"dataset": g.name, "model": model, "space": space, "metric": measure}
    document |= tuning.to_dict()
    read = None
    if test:
        from lsgnn.benchmark.final_scores import final_scores

        shared: dict[str, Any] = {"splits": all_splits, "which": which, "metric": measure, "workers": jobs}
        read = final_scores(g, tuning, model=model, members=members, per_split=resample == 1, **shared)
        document["test"] = {rule: result.to_dict() for rule, result in read.items()}
    if export is not None:
        whose = "" if model == "lsgnn" else f'model = "{model}"\n'
        # a file may be called anything, and so may a graph: its name must not end the comment
        graph_name = g.name if g.name.isprintable() else repr(g.name)
        comment = f"# chosen by `lsgnn tune` on validation nodes of {graph_name}\n"
        write_text(export, comment + whose + tuning.config.to_toml())
    if report is not None:
        from lsgnn.benchmark.configurations import changes_for_fit
        from lsgnn.benchmark.fit_again import command_that_fits
        from lsgnn.report import write_tuning_page

        typed = given_graph.as_typed(graph, edges, nodes, label, id, column, **how, data_dir=data_dir)
        typed += f" --metric {metric}" if metric is not None else ""
        fits = command_that_fits(typed, model, changes_for_fit(g, model, tuning.config, exact=True))
        about_it: dict[str, Any] = dict(dataset=g.name, model=model, metric=measure, test=read, storage=storage)
        write_tuning_page(tuning, report, **about_it, command=fits)
    if out is not None:
        write_json(out, document)
    if json:
        answer_json(document)
        return
    title, digits = about(measure).title, digits_of(measure)
    for line in tuning_lines(tuning, measure):
        answer(line)
    for rule, result in document.get("test", {}).items():
        answer(f"test {title}, {rule}: {shown(result[f'test_{measure}'], digits)}")
    for what, path in (("preset", export), ("report", report)):
        if path is not None:
            say(f"{what} written to {path}")
