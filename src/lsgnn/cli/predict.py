"""`lsgnn predict`: class probabilities from a saved run, for its own graph, another one, or new nodes of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.cli import given_graph, options, stores
from lsgnn.cli.show import answer, answer_json, progress
from lsgnn.errors import InputError


def predict(
    run: Annotated[Path, typer.Argument(help="Folder written by `lsgnn fit --out`.")],
    graph: options.GraphName = None,
    edges: options.Edges = None,
    nodes: options.Nodes = None,
    label: options.Label = None,
    id: options.Id = None,
    column: options.Column = None,
    delimiter: options.Delimiter = None,
    attach: Annotated[
        bool, typer.Option("--attach", help="The tables hold new nodes of the run's graph.", rich_help_panel="Tables")
    ] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Let new nodes change their neighbours too.", rich_help_panel="Tables")
    ] = False,
    out: Annotated[Path, typer.Option(help="File to write, .csv or .parquet.")] = Path("predictions.csv"),
    spreadsheet_safe: options.SpreadsheetSafe = False,
    uncalibrated: Annotated[bool, typer.Option("--uncalibrated", help="The softmax as the model gives it.")] = False,
    threshold: Annotated[
        float | None,
        typer.Option(help="Two classes: positive from this calibrated probability on, instead of the run's threshold."),
    ] = None,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Write id, predicted class, confidence and class probabilities of every node.

    Without GRAPH or tables: of the run's own graph. With one: of that graph, which must have the same features. For a
    run on a store: of a store.
    """
    from lsgnn.out_of_core.stored_run_files import is_stored_run

    if is_stored_run(run):
        stores.refuse(edges=edges, nodes=nodes, label=label, id=id, column=column, attach=attach, exact=exact)
        stores.refuse(delimiter=delimiter)
        if graph is None:
            raise InputError(f"{run} was trained on a store: name the store to predict, too")
        said: dict[str, Any] = dict(calibrated=not uncalibrated, threshold=threshold)
        stores.predict_store(run, graph, out, json, spreadsheet_safe=spreadsheet_safe, **said)
        return
    options.check_places((out, (".csv", ".parquet")))
    from lsgnn.runs.run import Run

    if exact and not attach:
        raise InputError("--exact is for new nodes: pass --attach too, or drop it")
    with progress(f"reading {run}", None):
        trained = Run.load(run)
    like = trained.graph if trained.graph.columns else None
    if nodes is not None and like is None:
        column = with_categories(column or [], trained.graph.feature_names)
    if attach:
        if graph is not None or edges is None or nodes is None:
            raise InputError("--attach needs --edges TABLE and --nodes TABLE of the new nodes, and no GRAPH")
        named = given_graph.parse_columns(column or ()) | {"id": id, "label": label, "delimiter": delimiter}
        named.pop("split", None)  # new nodes are in none
        how: dict[str, Any] = dict(exact=exact, calibrated=not uncalibrated, threshold=threshold)
        with progress(f"predicting the nodes of {nodes.name}", None):
            predictions = trained.predict_new_tables(edges, nodes, **how, **named)
    else:
        given = {"nodes": nodes, "label": label, "id": id, "column": column or None, "delimiter": delimiter}
        stray = [f"--{name}" for name, value in given.items() if value is not None]
        if graph is None and edges is None and stray:
            raise InputError(f"{stray[0]} goes with --edges TABLE: pass it, or drop {stray[0]}")
        own = graph is None and edges is None
        tables: dict[str, Any] = dict(delimiter=delimiter, like=like)
        other = None if own else given_graph.open_graph(graph, edges, nodes, label, id, column, data_dir, **tables)
        with progress(f"predicting {(trained.graph if other is None else other).name}", None):
            predictions = trained.predict(other, calibrated=not uncalibrated, threshold=threshold)
    predictions.save(out, spreadsheet_safe=spreadsheet_safe)
    if json:
        counts = {name: predictions.labels.count(name) for name in predictions.class_names}
        answer_json(
            {
                "run": str(run),
                "out": str(out),
                "nodes": len(predictions),
                "predicted": counts,
                "threshold": predictions.decision and predictions.decision.threshold,
                "temperature": 1.0 if uncalibrated else trained.temperature,
            }
        )
    else:
        answer(f"{len(predictions)} predictions written to {out}")


def with_categories(columns: list[str], learned: Sequence[str]) -> list[str]:
    """The options `--column`, with the categories that a model learned from, so that nobody has to name them again."""
    from lsgnn.graph.feature_names import categories_of

    categories = categories_of(learned)
    if not categories or any(column.startswith("categories=") for column in columns):
        return columns
    return [*columns, f"categories={','.join(categories)}"]
