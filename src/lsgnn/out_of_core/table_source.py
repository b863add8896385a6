"""Edge and node tables larger than memory → `GraphArrays`: ids become numbers, columns features, in a working folder.

    nodes.parquet      the node table, one row per node; its row is the node's number
    edge_index.npy     the edges by these numbers [2, E]
    edge_weight.npy    [E], if there are some

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
import pyarrow.parquet as pq
from numpy.lib.format import open_memmap

from lsgnn.errors import InputError
from lsgnn.files import make_folder, write_text
from lsgnn.graph.io import columns
from lsgnn.graph.io.edge_table import edge_columns
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.roles import Role
from lsgnn.graph.io.tables import checked_missing, column_list, feature_columns, told_roles
from lsgnn.graph.io.transformers.fit_plan import Missing
from lsgnn.graph.shown import short
from lsgnn.graph.splits import stratified_splits
from lsgnn.out_of_core.source import GraphArrays, require_classes
from lsgnn.out_of_core.store import require_place
from lsgnn.out_of_core.table_features import TableFeatures, fit_columns, read_column
from lsgnn.out_of_core.table_queries import TableQuery, column, column_names, duckdb_connection, quoted

WORKING = ".tables"
NODES = "nodes.parquet"
AT_ONCE = 1_000_000  # edges that are numbered together


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


def _number(tables: TablesOnDisk, folder: Path, memory: int, threads: int) -> None:
    """Nodes in the order of their table, and edges by their numbers."""
    edges, nodes = tables.queries
    with duckdb_connection(folder / "spill", memory, threads) as duck:
        node_source, edge_source = (_source(duck, query) for query in (nodes, edges))
        places = _places(tables, node_source)
        wanted = [places["id"], *_features(tables, node_source, places), places["label"], places["split"]]
        names = list(dict.fromkeys(name for name in wanted if name is not None))
        file, rows = folder / NODES, max(2048, min(100_000, memory // (64 * len(names))))
        chosen = ", ".join(column(name) for name in names)
        form = f"(FORMAT parquet, ROW_GROUP_SIZE {rows}, COMPRESSION lz4_raw, DICTIONARY_SIZE_LIMIT 1)"  # soon written
        duck.execute(f"COPY (SELECT {chosen} FROM {nodes.sql}) TO {quoted(str(file))} {form}")
        id = column(places["id"] or "")
        numbered = f"read_parquet({quoted(str(file))}, file_row_number = true)"
        duck.execute(f"CREATE TEMP TABLE ids AS SELECT {id} AS id, file_row_number AS number FROM {numbered}")
        _require_ids(duck, node_source, places["id"] or "")
        (source, target), weight = edge_columns(edge_source, tables.source, tables.target, tables.weight)
        _number_edges(duck, edges, (source, target), weight, folder, node_source)


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


def _require_ids(duck: Any, nodes: Source, id: str) -> None:
    if duck.execute("SELECT count(*) FROM ids WHERE id IS NULL").fetchone()[0]:
        raise InputError(f"a row of {nodes.title} has no {id!r}: fill it in or drop the row")
    twice = duck.execute("SELECT id FROM ids GROUP BY id HAVING count(*) > 1 LIMIT 1").fetchone()
    if twice is not None:
        raise InputError(f"{nodes.title} has several rows with {id!r} {short(twice[0])}: keep one of them")


def _number_edges(
    duck: Any, edges: TableQuery, ends: tuple[str, str], weight: str | None, folder: Path, nodes: Source
) -> None:
    given = f"SELECT {column(ends[0])} AS source, {column(ends[1])} AS target"
    given += f", CAST({column(weight)} AS DOUBLE) AS weight" if weight else ""
    rows = f"({given} FROM {edges.sql}){' WHERE weight <> 0 OR weight IS NULL' if weight else ''}"
    E = int(duck.execute(f"SELECT count(*) FROM {rows}").fetchone()[0])
    kinds = {row[1] for row in duck.execute(f"DESCRIBE SELECT source, target FROM {rows}").fetchall()}
    kinds |= {row[1] for row in duck.execute("DESCRIBE SELECT id FROM ids").fetchall()}
    key = "{}" if len(kinds) == 1 else "CAST({} AS VARCHAR)"  # so that 7 in one table meets "7" in the other
    joins = " ".join(
        f"LEFT JOIN ids AS {end}s ON {key.format(f'e.{end}')} = {key.format(f'{end}s.id')}"
        for end in ("source", "target")
    )
    chosen = f"coalesce(sources.number, -1), coalesce(targets.number, -1){', e.weight' if weight else ''}"
    found = duck.execute(f"SELECT {chosen} FROM (SELECT * FROM {rows}) AS e {joins}")
    index = open_memmap(folder / "edge_index.npy", mode="w+", dtype=np.int64, shape=(2, E))
    weights = open_memmap(folder / "edge_weight.npy", mode="w+", dtype=np.float64, shape=(E,)) if weight else None
    place = 0
    for batch in found.fetch_record_batch(AT_ONCE):
        part = slice(place, place + len(batch))
        for end in (0, 1):
            index[end, part] = batch.column(end).to_numpy(zero_copy_only=False)
        if min(index[:, part].min(axis=1), default=0) < 0:
            _raise_unknown(duck, rows, joins, edges, nodes)
        if weights is not None:
            weights[part] = batch.column(2).to_numpy(zero_copy_only=False)
        place += len(batch)
    for array in (index, weights):
        if array is not None:
            array.flush()


def _raise_unknown(duck: Any, rows: str, joins: str, edges: TableQuery, nodes: Source) -> None:
    unknown = "CASE WHEN sources.number IS NULL THEN e.source ELSE e.target END"
    where = "sources.number IS NULL OR targets.number IS NULL"
    (id,) = duck.execute(f"SELECT {unknown} FROM (SELECT * FROM {rows}) AS e {joins} WHERE {where} LIMIT 1").fetchone()
    raise InputError(
        f"an edge of {edges.title} points to {short(id)}, which is no id of {nodes.title}: add that node, or drop "
        "the edge"
    )


def _arrays(tables: TablesOnDisk, working: Path) -> tuple[GraphArrays, list[str]]:
    nodes = tables.queries[1]
    file, weights = working / NODES, working / "edge_weight.npy"
    names = pq.read_schema(file).names
    source = Source(pa.table({}), nodes.title, names, "," if nodes.is_text else None)
    places = _places(tables, source)
    id, label, split = places["id"] or "", places["label"] or "", places["split"]
    y, class_names = columns.labels(read_column(file, label), label, source)
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
    splits = columns.splits(read_column(file, split), split, source) if split else stratified_splits(y, 1)
    chosen = splits.within(y >= 0)[0]
    require_classes(nodes.title, y, chosen)
    arrays = GraphArrays(
        x=TableFeatures(file, plan, source),
        edge_index=np.load(working / "edge_index.npy", mmap_mode="r"),
        edge_weight=np.load(weights, mmap_mode="r") if weights.exists() else None,
        y=y,
        split=chosen,
        node_ids=columns.to_numpy(columns.ids(read_column(file, id), id, source)),
        class_names=class_names,
        identity=tables.identity,
        feature_names=plan.feature_names,
    )
    return arrays, notes
