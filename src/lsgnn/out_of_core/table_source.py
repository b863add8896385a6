"""Edge and node tables larger than memory → `GraphArrays`: ids become numbers, columns features, in a working folder.

    nodes.parquet      the node table, one row per node; its row is the node's number (not there if the user's own
                       Parquet files can be read by groups of rows)
    edge_index.npy     the edges by these numbers [2, E]
    edge_weight.npy    [E], if there are some
    node_ids.npy       the users' ids [n]

The folder is complete or not there, so that a command that was killed goes on; a finished store needs it no longer.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.files import make_folder, write_atomically, write_text
from lsgnn.graph.io import columns
from lsgnn.graph.io.edge_table import edge_columns
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.roles import Role
from lsgnn.graph.io.tables import checked_missing, column_list, feature_columns, told_roles
from lsgnn.graph.io.transformers.fit_plan import Missing
from lsgnn.graph.splits import stratified_splits
from lsgnn.out_of_core.edge_numbers import NodeIds, write_edges
from lsgnn.out_of_core.parquet_rows import ParquetRows, serve_as_they_are
from lsgnn.out_of_core.source import GraphArrays, require_classes
from lsgnn.out_of_core.store import require_place
from lsgnn.out_of_core.table_features import TableFeatures, fit_columns
from lsgnn.out_of_core.table_queries import TableQuery, column, column_names, duckdb_connection, quoted

WORKING = ".tables"
NODES = "nodes.parquet"


@dataclass(frozen=True)
class TablesOnDisk:
    """An edge and a node table larger than memory; columns are named as for `lsgnn.read_tables`.

    Args:
        edges, nodes: a pattern of files (`edges/*.parquet`, `nodes/**/*.csv`) or a query (`SELECT … FROM …`).
    """

    edges: str
    nodes: str
    label: str | None = None
    id: str | None = None
    source: str | None = None
    target: str | None = None
    weight: str | None = None
    features: Sequence[str] | None = None
    categories: Sequence[str] = ()
    roles: Mapping[str, Role] | None = None
    split: str | None = None
    missing: Missing = "impute"
    delimiter: str | None = None

    @cached_property
    def queries(self) -> tuple[TableQuery, TableQuery]:
        """The edge and the node table."""
        return TableQuery.of(self.edges, self.delimiter), TableQuery.of(self.nodes, self.delimiter)

    @cached_property
    def identity(self) -> str:
        parts = [asdict(self), *(query.identity for query in self.queries)]
        return "tables " + hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def open_tables(tables: TablesOnDisk, store: Path, memory: int, threads: int = 1) -> tuple[GraphArrays, list[str]]:
    """The graph of some tables, by way of a working folder in that of the store, and notes on its columns."""
    require_place(store, tables.identity)
    working = store / WORKING
    if not (working / "about.json").is_file() or json.loads((working / "about.json").read_text()) != tables.identity:
        shutil.rmtree(working, ignore_errors=True)
        make_folder(store)
        folder = Path(mkdtemp(dir=store, prefix=".edges-"))  # a store sweeps such folders
        try:
            _number(tables, folder, memory, threads)
            write_text(folder / "about.json", json.dumps(tables.identity))
            os.replace(folder, working)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return _arrays(tables, working)


def give_memory_back() -> None:
    """What Arrow holds for tables to come: there are none, once the store has its inputs."""
    pa.default_memory_pool().release_unused()


def _number(tables: TablesOnDisk, folder: Path, memory: int, threads: int) -> None:
    """Nodes in the order of their table, and edges by their numbers."""
    edges, nodes = tables.queries
    with duckdb_connection(folder / "spill", memory, threads) as duck:
        node_source, edge_source = (_source(duck, query) for query in (nodes, edges))
        places = _places(tables, node_source)
        wanted = [places["id"], *_features(tables, node_source, places), places["label"], places["split"]]
        names = list(dict.fromkeys(name for name in wanted if name is not None))
        files = nodes.parquet if serve_as_they_are(nodes.parquet, names, memory) else (folder / NODES,)
        if files != nodes.parquet:  # into a form that is soon written
            rows, chosen = max(2048, min(100_000, memory // (64 * len(names)))), ", ".join(map(column, names))
            form = f"FORMAT parquet, ROW_GROUP_SIZE {rows}, COMPRESSION lz4_raw, DICTIONARY_SIZE_LIMIT 1"
            duck.execute(f"COPY (SELECT {chosen} FROM {nodes.sql}) TO {quoted(str(files[0]))} ({form})")
        ids = NodeIds(ParquetRows(files), places["id"] or "", node_source)
        ends, weight = edge_columns(edge_source, tables.source, tables.target, tables.weight)
        write_edges(duck, edges, ends, weight, ids, folder, memory)


def _source(duck: Any, query: TableQuery) -> Source:
    return Source(pa.table({}), query.title, column_names(duck, query), "," if query.is_text else None)


def _places(tables: TablesOnDisk, nodes: Source) -> dict[str, str | None]:
    id = nodes.require(tables.id, "id") if tables.id else nodes.find("id", "node", "node_id") or nodes.names[0]
    label = nodes.require(tables.label, "label") if tables.label else nodes.find("label", "class", "y")
    if label is None:
        raise InputError(f"{nodes.title} has no column called label, class or y: name the column of the class")
    return {"id": id, "label": label, "split": nodes.require(tables.split, "split") if tables.split else None}


def _features(tables: TablesOnDisk, nodes: Source, places: dict[str, str | None]) -> list[str]:
    told = told_roles(nodes, tables.categories, tables.roles)
    return feature_columns(nodes, tables.features, list(told), not_features=set(places.values()))


def _arrays(tables: TablesOnDisk, working: Path) -> tuple[GraphArrays, list[str]]:
    nodes = tables.queries[1]
    weights = working / "edge_weight.npy"
    file = ParquetRows((working / NODES,) if (working / NODES).exists() else nodes.parquet)
    source = Source(pa.table({}), nodes.title, file.names, "," if nodes.is_text else None)
    places = _places(tables, source)
    id, label, split = places["id"] or "", places["label"] or "", places["split"]
    y, class_names = columns.labels(file.column(label), label, source)
    told = told_roles(source, tables.categories, tables.roles)
    plan, notes = fit_columns(
        file,
        _features(tables, source, places),
        source,
        roles=told,
        listed=column_list("features", tables.features),
        missing=checked_missing(tables.missing),
    )
    if not plan:
        raise InputError(f"{nodes.title} has no column of features: add some, such as log degrees")
    splits = columns.splits(file.column(split), split, source) if split else stratified_splits(y, 1)
    chosen = splits.within(y >= 0)[0]
    require_classes(nodes.title, y, chosen)
    arrays = GraphArrays(
        x=TableFeatures(file, plan, source),
        edge_index=np.load(working / "edge_index.npy", mmap_mode="r"),
        edge_weight=np.load(weights, mmap_mode="r") if weights.exists() else None,
        y=y,
        split=chosen,
        node_ids=_ids(file, id, source, working / "node_ids.npy"),
        class_names=class_names,
        identity=tables.identity,
        feature_names=plan.feature_names,
    )
    return arrays, notes


def _ids(nodes: ParquetRows, id: str, source: Source, file: Path) -> NDArray[Any]:
    """The users' ids, memory-mapped: as text they take more room than anything else that is known of every node."""
    with write_atomically(file) as out:
        np.save(out, columns.to_numpy(columns.ids(nodes.column(id), id, source)))
    return np.asarray(np.load(file, mmap_mode="r"))
