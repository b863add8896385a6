"""`lsgnn compare`: a leader board of several models on the user's own graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.cli import options
from lsgnn.cli.show import answer, answer_json, progress, trial_progress

DEFAULT = "majority,mlp,gcn,sgc,gprgnn,linkx,lsgnn"


def compare(
    graph: options.GraphName = None,
    edges: options.Edges = None,
    nodes: options.Nodes = None,
    label: options.Label = None,
    id: options.Id = None,
    column: options.Column = None,
    models: Annotated[str, typer.Option(help="Names joined by commas, or all.")] = DEFAULT,
    splits: Annotated[str, typer.Option(help="all, one number, or numbers joined by commas.")] = "all",
    tune: Annotated[int, typer.Option(help="Trials to tune each model with, on validation nodes only.", min=0)] = 0,
    metric: Annotated[str | None, typer.Option(help="accuracy, roc_auc or macro_f1 (default: the dataset's).")] = None,
    store: Annotated[Path | None, typer.Option(help="Folder of finished units; goes on from it.")] = None,
    report: Annotated[Path | None, typer.Option(help="File for a self-contained report page, .html.")] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON document to this file.")] = None,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Train several models under one protocol and rank them, with paired differences to the best."""
    g = options.open_graph(graph, edges, nodes, label, id, column, data_dir)
    measure: Any = options.default_metric(g, metric)
    options.check_places((report, (".html",)), (out, (".json",)))
    from lsgnn import zoo
    from lsgnn.benchmark.compare import compare as race
    from lsgnn.files import write_json
    from lsgnn.graph.splits import stratified_splits
    from lsgnn.runs.defaults import suited_to
    from lsgnn.tuning import tune as search
    from lsgnn.zoo.presets import zoo_preset

    names = zoo.names() if models == "all" else tuple(name.strip() for name in models.split(","))
    all_splits = g.splits or stratified_splits(g.y)
    which = options.parse_splits(splits, len(all_splits))
    tuned = {}
    for name in names if tune else ():
        if zoo.get(name).tunable:
            shared = dict(splits=all_splits, which=which, metric=measure, grid=False)
            with trial_progress(f"tuning {name}", tune) as on_trial:
                # LSGNN starts from what is known for the dataset, as the baselines do
                base = suited_to(g, zoo_preset(name, g.name))
                tuned[name] = search(g, model=name, trials=tune, base=base, on_trial=on_trial, **shared).config
    with progress(f"{len(names)} models × {len(which)} splits", len(names) * len(which)) as step:
        comparison = race(
            g, names, splits=all_splits, which=which, metric=measure, configs=tuned, store=store, on_done=step
        )
    document = comparison.to_dict() | {"tuning_trials": tune}
    if out is not None:
        write_json(out, document)
    if report is not None:
        from lsgnn.report import write_comparison_page

        write_comparison_page(comparison, report)
    if json:
        answer_json(document)
    else:
        for line in comparison.to_markdown().split("\n")[:-1]:
            answer(line)
