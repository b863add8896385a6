"""CSV / Parquet / Arrow / pandas node and edge tables → `Graph`: the way in for people with their own data."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io import columns
from lsgnn.graph.io.edge_table import EdgeRows, edge_columns, no_header
from lsgnn.graph.io.open_table import Source, open_table
from lsgnn.graph.io.roles import ROLES, Role
from lsgnn.graph.io.transformers.fit_plan import Missing, fit_plan
from lsgnn.graph.io.transformers.plan import ColumnPlan
from lsgnn.graph.paths import expanded
from lsgnn.graph.shown import short, shown


def read_tables(
    edges: Any,
    nodes: Any = None,
    *,
    label: str | None = None,
    id: str | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    features: Sequence[str] | None = None,
    categories: Sequence[str] = (),
    roles: Mapping[str, Role] | None = None,
    split: str | None = None,
    missing: Missing = "impute",
    delimiter: str | None = None,
    name: str | None = None,
    like: Graph | None = None,
) -> Graph:
    """Reads a graph from an edge table and, usually, a node table.

    A table is a path (`.csv`, `.csv.gz`, `.tsv`, `.tsv.gz`, `.parquet`; CSV with a header line), a pyarrow table or a
    pandas data frame. Ids may be of any type and end up in `graph.node_ids`. Every other column of the node table has
    a role, which is inferred unless it is told; `graph.columns` keeps what was made of it, fitted to these nodes
    without their labels.

    Args:
        edges: one row per edge.
        nodes: one row per node; without it the nodes are the ids in the edge table, and have no labels.
        label: column of the class (default: `label`, `class` or `y`, if there is one); an empty cell is unknown.
        id: column of the node id (default: `id`, `node` or `node_id`, else the first).
        source, target: columns of the edge's ends (default: `source`/`src` and `target`/`dst`, else the first two).
        weight: column of edge weights (default: `weight`, if there is one); edges of weight 0 are dropped.
        features: columns of features (default: all others but ids and constants).
        categories: columns of features whose values are names (cities, jobs); the same as the role "category".
        roles: roles of columns by name, where inference is wrong: number, category, date, text, id or constant (these
            two are left out).
        split: column that says train, val or test, if the division is given.
        missing: what to do where a number or a date is missing: "impute" (the median, and a 0/1 column that says where)
            or "error".
        delimiter: what separates the columns of text files (default: detected in each).
        name: the graph's name (default: that of the folder of the edge file).
        like: a graph (that of a run, say) whose transformers are applied instead of new ones; features, roles and what
            is done where something is missing are then as they were there.
    """
    plan = columns_of(like)
    edge_source = open_table(edges, "edge", delimiter)
    given = {"source": source, "target": target, "weight": weight}
    ends, weight = edge_columns(edge_source, **remembered(plan, edge_source, **given))
    edge_rows = EdgeRows.read(edge_source, ends, weight)
    sources, targets = edge_rows.sources, edge_rows.targets
    fields: dict[str, Any] = {"name": named_after(edges) if name is None else name, "edge_weight": edge_rows.weight}
    notes = list(edge_rows.notes)
    if nodes is None:
        listed = categories if column_list("categories", categories) else None
        _refuse_node_arguments(label=label, id=id, features=features, categories=listed, roles=roles, split=split)
        fields |= _number_nodes(sources, targets)
    else:
        node_source = open_table(nodes, "node", delimiter)
        label, id = remembered(plan, node_source, label=label, id=id).values()
        id = _id_column(node_source, id)
        label = node_source.require(label, "label") if label is not None else node_source.find("label", "class", "y")
        if split is not None:
            node_source.require(split, "split")
        told = told_roles(node_source, categories, roles)
        chosen = feature_columns(node_source, features, list(told), not_features={id, label, split})
        as_text = [id, label, split, *(name for name, role in told.items() if role in ("category", "text", "id"))]
        as_text += plan.text_columns if plan else []
        node_table = node_source.read(text=[name for name in as_text if name is not None])
        node_ids = columns.ids(node_table, id, node_source)
        node_table, node_ids, node_source, dropped = _without_repetitions(node_table, node_ids, node_source)
        notes += dropped
        fields["node_ids"] = columns.to_numpy(node_ids)
        if edge_source.is_text and source is None and target is None:
            _require_header(edge_source, ends, node_ids)
        found = [_positions(end, node_ids, edge_rows.source, node_source, id) for end in (sources, targets)]
        fields["edge_index"] = np.stack(found)
        if label is not None:
            fields["y"], fields["class_names"] = columns.labels(node_table, label, node_source)
        if split is not None:
            fields["splits"] = columns.splits(node_table, split, node_source)
        if plan is None:
            asked = column_list("features", features)
            plan, told_notes = fit_plan(
                node_table, chosen, node_source, roles=told, listed=asked, missing=checked_missing(missing)
            )
            places = {"id": id, "label": label, "source": ends[0], "target": ends[1], "weight": weight}
            plan = plan.with_places(places)
            notes += told_notes
        if plan:
            fields |= {"x": plan.apply(node_table, node_source), "feature_names": plan.feature_names}
    if "x" not in fields:
        from lsgnn.graph.structural_features import NOTE, structural_features  # scipy's solvers load slowly

        fields["x"] = structural_features(fields["edge_index"], len(fields["node_ids"]))
        notes.append(NOTE)
    return Graph(**fields, notes=tuple(notes), columns=plan or ColumnPlan())


def columns_of(like: Graph | None) -> ColumnPlan | None:
    """The transformers of another graph, if one is given; raises if it has none."""
    if like is None:
        return None
    if not isinstance(like, Graph):
        raise InputError(f"like is {shown(like)}, but it is a graph: pass that of a run (run.graph)")
    if not like.columns:
        raise InputError(
            f"{like.name} was not read from tables, so that it has no transformers to apply: leave like out, and pass "
            "the same columns as it has"
        )
    return like.columns


def remembered(plan: ColumnPlan | None, table: Source, /, **given: str | None) -> dict[str, str | None]:
    """The columns that are named; else those that had the same place in the tables of the plan."""
    if plan is None:
        return given
    return {what: plan.place(what, table) if name is None else name for what, name in given.items()}


def checked_missing(missing: Any) -> Missing:
    if missing not in get_args(Missing):
        raise InputError(f"missing is {shown(missing)}, but it says what to do: pass 'impute' or 'error'")
    return cast(Missing, missing)


def told_roles(nodes: Source, categories: Any, roles: Any) -> dict[str, Role]:
    """The roles that a user has named, by column."""
    if roles is not None and not isinstance(roles, Mapping):
        raise InputError(f"roles is {shown(roles)}, but it says what columns are: pass a dictionary name → role")
    listed = {nodes.require(name, "categories"): "category" for name in column_list("categories", categories)}
    for name, role in (roles or {}).items():
        if role not in ROLES:
            raise InputError(f"column {short(name)} has the role {short(role)}: use one of {', '.join(ROLES)}")
        listed[nodes.require(name, "roles")] = role
    return cast(dict[str, Role], listed)


def named_after(edges: Any) -> str:
    """The folder's name: files are called edges.csv everywhere."""
    folder = os.path.dirname(os.path.abspath(expanded(edges))) if isinstance(edges, str | Path) else ""
    return os.path.basename(folder) or "graph"


def _require_header(edges: Source, ends: tuple[str, str], node_ids: Any) -> None:
    """Two column names that are both ids of nodes are an edge, not a header."""
    names = pc.cast(pa.array(ends, pa.large_string()), pa.large_string())
    if pc.all(pc.is_in(names, value_set=pc.cast(node_ids, pa.large_string()))).as_py():
        raise no_header(edges, ",".join(ends), "source,target")


def _id_column(nodes: Source, id: str | None) -> str:
    if id is not None:
        return nodes.require(id, "id")
    id = nodes.find("id", "node", "node_id") or nodes.names[0]
    if nodes.is_text and id.isdecimal():
        raise no_header(nodes, ",".join(nodes.names[:3]), "id,label,…")
    return id


def _refuse_node_arguments(**arguments: Any) -> None:
    for argument, value in arguments.items():
        if value is not None:
            raise InputError(f"{argument}={short(value)} names a column of a node table: give one")


def feature_columns(
    nodes: Source, features: Sequence[str] | None, told: Sequence[str], not_features: set[str | None]
) -> list[str]:
    """The columns that may become features: in the order of the table, or as listed, those with a told role last."""
    asked = column_list("features", features)
    for name in asked:
        nodes.require(name, "features")
    for name in (*asked, *told):
        if name in not_features:
            which = "features lists" if name in asked else "categories or roles name"
            raise InputError(f"{which} {name!r}, which is the id, label or split column: leave it out")
    if features is None:
        return [name for name in nodes.names if name not in not_features]
    return list(dict.fromkeys((*asked, *told)))


def column_list(role: str, names: Any) -> list[Any]:
    """One name or several as a list of names; None is none."""
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, Mapping) or not isinstance(names, Iterable) or getattr(names, "ndim", 1) != 1:
        raise InputError(f"{role} is {shown(names)}, but it names columns: pass a list of names")
    return list(names)


def _without_repetitions(table: pa.Table, ids: Any, nodes: Source) -> tuple[pa.Table, Any, Source, list[str]]:
    """The table without rows that stand there before, cell for cell; raises if one id has two different rows."""
    codes = columns.to_numpy(pc.dictionary_encode(ids).indices)
    first = np.unique(codes, return_index=True)[1]
    if len(first) == len(codes):
        return table, ids, nodes, []
    again = np.ones(len(codes), dtype=bool)
    again[first] = False
    later = np.flatnonzero(again)
    earlier = first[codes[later]]
    if not table.take(later).equals(table.take(earlier)):
        _require_alike(table, ids, nodes, earlier, later)
    kept = np.flatnonzero(~again)
    note = f"{int(again.sum())} repeated row(s) of {nodes.title} dropped, the first in {nodes.at(int(again.argmax()))}"
    return table.take(kept), pc.take(ids, kept), nodes.with_rows(kept), [note]


def _require_alike(
    table: pa.Table, ids: Any, nodes: Source, earlier: NDArray[np.int64], later: NDArray[np.int64]
) -> None:
    """Raises at the first pair of rows that differ; NaN is like NaN here."""
    for one, two in zip(earlier.tolist(), later.tolist(), strict=True):
        if str(table.slice(one, 1).to_pylist()) != str(table.slice(two, 1).to_pylist()):
            raise InputError(
                f"node id {short(ids[two].as_py())} stands twice, in {nodes.at(one)} and again in {nodes.at(two)}, "
                "with different values: keep one of them"
            )


def _positions(ends: Any, ids: Any, edges: Source, nodes: Source, id: str) -> NDArray[np.int64]:
    """The node number of each end of the edges."""
    position = pc.index_in(*(columns.comparable(ends, ids)))
    if position.null_count:
        row = pc.index(pc.is_null(position), True).as_py()
        raise InputError(
            f"{edges.at(row)} points to {short(ends[row].as_py())}, which is not in column {id!r} of {nodes.title}: "
            "add that node or drop the edge"
        )
    return columns.to_numpy(position).astype(np.int64)


def _number_nodes(sources: Any, targets: Any) -> dict[str, Any]:
    """Nodes from edges alone: integers in numerical order, names in the order in which they appear."""
    encoded = pc.dictionary_encode(pa.concat_arrays([sources, targets]))
    codes = columns.to_numpy(encoded.indices).reshape(2, -1)
    names = columns.to_numpy(encoded.dictionary)
    if pa.types.is_integer(sources.type):
        order = np.argsort(names)
    else:
        order = np.argsort(np.unique(codes.T.ravel(), return_index=True)[1])
    number = np.empty(len(names), dtype=np.int64)
    number[order] = np.arange(len(names))
    return {"edge_index": number[codes], "node_ids": names[order]}
