"""`lsgnn precompute`: propagate a graph, maybe larger than memory, into a store on disk; resumable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.cli import given_graph, given_settings, options, stores
from lsgnn.cli.show import answer, answer_json, progress, say
from lsgnn.errors import InputError
from lsgnn.out_of_core.manifest import DTYPES, KEEPS
from lsgnn.sizes import parse_bytes

Edges = Annotated[
    str | None,
    typer.Option(
        help="Edge table (CSV, Parquet); a pattern 'edges/*.parquet' or a query 'SELECT …' is read out of core.",
        rich_help_panel="Tables",
    ),
]
Nodes = Annotated[
    str | None,
    typer.Option(help="Node table with ids, features, labels; or a pattern or query.", rich_help_panel="Tables"),
]


def precompute(
    out: Annotated[Path, typer.Option(help="Folder of the store; the same command goes on from it.")],
    graph: Annotated[
        str | None,
        typer.Argument(metavar="[GRAPH]", help="A folder of .npy arrays, a dataset or a .npz.", show_default=False),
    ] = None,
    edges: Edges = None,
    nodes: Nodes = None,
    label: options.Label = None,
    id: options.Id = None,
    column: options.Column = None,
    missing: options.Missing = "impute",
    delimiter: options.Delimiter = None,
    name: options.Name = None,
    max_memory: Annotated[str, typer.Option(help="What all jobs (with --ray: each task) may allocate.")] = "4GB",
    keep: Annotated[
        str,
        typer.Option(help="Propagated features on disk: of all nodes, or of labelled ones only (fit needs no others)."),
    ] = "all",
    store_dtype: Annotated[str, typer.Option(help="Of features on disk: float32, or float16 (half the size).")] = (
        "float32"
    ),
    jobs: Annotated[int, typer.Option(help="Processes on this machine.", min=1)] = 1,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Threads of a process (default: all cores; with --jobs or --ray: 1).", min=1, show_default=False
        ),
    ] = None,
    ray: Annotated[
        str | None, typer.Option(help="Run the tasks on the Ray cluster at this address ('local': a new one here).")
    ] = None,
    split: Annotated[int, typer.Option(help="Which of the graph's splits to keep.", min=0)] = 0,
    preset: options.Preset = "default",
    set: options.Set = None,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Compute what LSGNN needs before training, block by block, within a limit of memory.

    Tables larger than memory are patterns, 'edges/*.parquet', or queries, 'SELECT …' (extra duckdb).

    `lsgnn fit STORE` trains on it. A folder of arrays holds x.npy, edge_index.npy and y.npy, and if you like
    edge_weight.npy, node_ids.npy and three masks, train_mask.npy, val_mask.npy, test_mask.npy.
    """
    limit = parse_bytes(max_memory, "--max-memory")
    options.checked_choice("--keep", keep, KEEPS)
    options.checked_choice("--store-dtype", store_dtype, DTYPES)
    from lsgnn.out_of_core.table_queries import is_on_disk

    source: Any
    config: Any
    if is_on_disk(edges) or is_on_disk(nodes):
        stores.refuse(graph=graph, data_dir=data_dir, name=name, split=split)
        source = tables_on_disk(edges, nodes, label, id, column or [], missing, delimiter)
        config = settings_of_tables(preset, set or [])
    elif graph is not None and Path(graph).is_dir():
        stores.refuse(edges=edges, nodes=nodes, label=label, id=id, column=column, data_dir=data_dir)
        stores.refuse(missing=missing != "impute", delimiter=delimiter, name=name)
        config, source = given_settings.settings_for_arrays(preset, set or []), graph
    else:
        from lsgnn.runs.defaults import suited_to

        how: dict[str, Any] = dict(missing=missing, delimiter=delimiter, name=name)
        edge_file, node_file = (None if table is None else Path(table) for table in (edges, nodes))
        source = given_graph.open_graph(graph, edge_file, node_file, label, id, column, data_dir, **how)
        drafted, splits = given_settings.draft_and_splits(source, preset, set or [])
        config = suited_to(source, drafted.config) if "feature_norm" in drafted.open_to else drafted.config
        source = replace(source, splits=splits)
    from lsgnn.out_of_core.executors import processes, serial
    from lsgnn.out_of_core.executors import ray as ray_cluster
    from lsgnn.out_of_core.filling import precompute as fill

    here = serial if jobs == 1 else processes(jobs)
    if ray is not None and jobs > 1:
        raise InputError("--jobs is for this machine: with --ray, a machine runs as many tasks as it has room for")
    executor = here if ray is None else ray_cluster(ray, memory=limit)
    with progress("propagating blocks of columns", None) as step:
        store = fill(
            source,
            out,
            config,
            split=split,
            max_memory=limit,
            keep=keep,
            dtype=store_dtype,
            jobs=jobs,
            threads=threads,
            executor=executor,
            on_task=lambda done, total: step(completed=done, total=total),
            on_note=lambda note: say(f"note: {note}"),
        )
    manifest = store.manifest
    if json:
        size = {"nodes": manifest.num_nodes, "features": manifest.num_features, "blocks": len(manifest.blocks)}
        disk = {"bytes": store.num_bytes, "keep": keep, "dtype": store_dtype, "rounding_error": store.rounding_error}
        answer_json({"store": str(out)} | size | disk | {"settings": manifest.settings})
        return
    blocks = f"{len(manifest.blocks)} block(s) of columns"
    answer(f"{manifest.num_nodes} nodes, {manifest.num_features} features in {blocks}, {store.config.K} hops: {out}")
    size_said = f"{store.num_bytes / 1e6:,.1f} MB on disk"
    answer(size_said + (" (hops of labelled nodes only)" if keep == "labelled" else ""))
    if store.rounding_error is not None:
        answer(f"{store_dtype} changes the features by {100 * store.rounding_error:.3f} % (root mean square)")


def tables_on_disk(
    edges: str | None,
    nodes: str | None,
    label: str | None,
    id: str | None,
    columns: list[str],
    missing: str,
    delimiter: str | None,
) -> Any:
    """Tables that are larger than memory."""
    from lsgnn.graph.io.tables import checked_missing
    from lsgnn.out_of_core.table_source import TablesOnDisk

    if edges is None or nodes is None:
        raise InputError("a pattern or a query is one of two tables: pass --edges TABLE and --nodes TABLE")
    named: dict[str, Any] = dict(label=label, id=id, missing=checked_missing(missing), delimiter=delimiter)
    return TablesOnDisk(edges, nodes, **named, **given_graph.parse_columns(columns))


def settings_of_tables(preset: str, changes: list[str]) -> Any:
    """The configuration, in which the columns may still choose `feature_norm` unless it is named."""
    from lsgnn.runs.defaults import Draft

    is_named = preset != "default" or "feature_norm" in given_settings.parse_settings(changes)
    return Draft(given_settings.settings_for_arrays(preset, changes), frozenset(() if is_named else {"feature_norm"}))
