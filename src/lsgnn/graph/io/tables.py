"""CSV / Parquet / Arrow / pandas node and edge tables → `Graph`: the way in for people with their own data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io import columns
from lsgnn.graph.io.open_table import SUFFIXES, Source, listed, open_table
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
    split: str | None = None,
    name: str | None = None,
) -> Graph:
    """Reads a graph from an edge table and, usually, a node table.

    A table is a path (`.csv`, `.csv.gz`, `.tsv`, `.tsv.gz`, `.parquet`; CSV with a header line), a pyarrow table or a
    pandas data frame. Ids may be of any type and end up in `graph.node_ids`.

    Args:
        edges: one row per edge.
        nodes: one row per node; without it the nodes are the ids in the edge table, and have no labels.
        label: column of the class (default: `label`, `class` or `y`, if there is one); an empty cell is unknown.
        id: column of the node id (default: `id`, `node` or `node_id`, else the first).
        source, target: columns of the edge's ends (default: `source`/`src` and `target`/`dst`, else the first two).
        weight: column of edge weights (default: `weight`, if there is one).
        features: columns of features (default: all others, which must be numbers, booleans or lists of numbers).
        categories: columns of features whose values are names (cities, jobs): each value becomes a 0/1 feature.
        split: column that says train, val or test, if the division is given.
        name: the graph's name (default: the edge file's).
    """
    edge_source = open_table(edges, "edge")
    ends, weight = edge_columns(edge_source, source, target, weight)
    edge_table = edge_source.read(text=ends)
    sources, targets = columns.comparable(*(columns.ids(edge_table, end, edge_source) for end in ends))
    fields: dict[str, Any] = {"name": _stem(edges) if name is None else name}
    if weight is not None:
        fields["edge_weight"] = columns.numbers(edge_table, weight, edge_source)
    if nodes is None:
        listed = categories if column_list("categories", categories) else None
        _refuse_node_arguments(label=label, id=id, features=features, categories=listed, split=split)
        fields |= _number_nodes(sources, targets)
    else:
        node_source = open_table(nodes, "node")
        id = _id_column(node_source, id)
        label = node_source.require(label, "label") if label is not None else node_source.find("label", "class", "y")
        if split is not None:
            node_source.require(split, "split")
        chosen, categories = feature_columns(node_source, features, categories, not_features={id, label, split})
        node_table = node_source.read(text=[c for c in (id, label, split, *categories) if c is not None])
        node_ids = columns.ids(node_table, id, node_source)
        _require_distinct(node_ids, node_source)
        fields["node_ids"] = columns.to_numpy(node_ids)
        if edge_source.is_text and source is None and target is None:
            _require_header(edge_source, ends, node_ids)
        found = [_positions(end, node_ids, edge_source, node_source, id) for end in (sources, targets)]
        fields["edge_index"] = np.stack(found)
        if label is not None:
            fields["y"], fields["class_names"] = columns.labels(node_table, label, node_source)
        if split is not None:
            fields["splits"] = columns.splits(node_table, split, node_source)
        if chosen:
            fields["x"], fields["feature_names"] = columns.features(node_table, chosen, node_source, categories)
    if "x" not in fields:
        from lsgnn.graph.structural_features import NOTE, structural_features  # scipy's solvers load slowly

        fields |= {"x": structural_features(fields["edge_index"], len(fields["node_ids"])), "notes": (NOTE,)}
    return Graph(**fields)


def edge_columns(
    edges: Source, source: str | None, target: str | None, weight: str | None
) -> tuple[tuple[str, str], str | None]:
    """(source, target) and weight: the named ones, else the usual names, else the first two."""
    weight = edges.require(weight, "weight") if weight is not None else edges.find("weight")
    source = edges.require(source, "source") if source is not None else edges.find("source", "src")
    target = edges.require(target, "target") if target is not None else edges.find("target", "dst")
    others = [name for name in edges.names if name not in (source, target, weight)]
    if others and source is None:
        source = others.pop(0)
    if others and target is None:
        target = others.pop(0)
    if source is None or target is None:
        raise InputError(
            f"{edges.title} has the column(s) {listed(edges.names)}, but an edge needs a source and a target: "
            "pass two columns, separated by commas (tabs in .tsv)"
        )
    if source == target:
        raise InputError(f"source and target are both column {source!r} of {edges.title}: name two different columns")
    if edges.is_text and source.isdecimal() and target.isdecimal():
        raise _no_header(edges, f"{source},{target}", "source,target")
    return (source, target), weight


def _require_header(edges: Source, ends: tuple[str, str], node_ids: Any) -> None:
    """Two column names that are both ids of nodes are an edge, not a header."""
    names = pc.cast(pa.array(ends, pa.large_string()), pa.large_string())
    if pc.all(pc.is_in(names, value_set=pc.cast(node_ids, pa.large_string()))).as_py():
        raise _no_header(edges, ",".join(ends), "source,target")


def _id_column(nodes: Source, id: str | None) -> str:
    if id is not None:
        return nodes.require(id, "id")
    id = nodes.find("id", "node", "node_id") or nodes.names[0]
    if nodes.is_text and id.isdecimal():
        raise _no_header(nodes, ",".join(nodes.names[:3]), "id,label,…")
    return id


def _no_header(table: Source, first: str, header: str) -> InputError:
    return InputError(
        f"{table.title} starts with {short(first)}, which looks like data, but the first line names the columns: "
        f"put a line such as {header!r} above it"
    )


def _refuse_node_arguments(**arguments: Any) -> None:
    for argument, value in arguments.items():
        if value is not None:
            raise InputError(f"{argument}={short(value)} names a column of a node table: give one")


def feature_columns(
    nodes: Source, features: Sequence[str] | None, categories: Sequence[str] | None, not_features: set[str | None]
) -> tuple[list[str], list[str]]:
    """All columns of features in the order of the table (or as listed, categories last), and those of categories."""
    listed = {"features": column_list("features", features), "categories": column_list("categories", categories)}
    for role, names in listed.items():
        for name in names:
            nodes.require(name, role)
            if name in not_features:
                raise InputError(f"{role} lists {name!r}, which is the id, label or split column: leave it out")
    if features is None:
        return [name for name in nodes.names if name not in not_features], listed["categories"]
    return list(dict.fromkeys((*listed["features"], *listed["categories"]))), listed["categories"]


def column_list(role: str, names: Any) -> list[Any]:
    """One name or several as a list of names; None is none."""
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, Mapping) or not isinstance(names, Iterable) or getattr(names, "ndim", 1) != 1:
        raise InputError(f"{role} is {shown(names)}, but it names columns: pass a list of names")
    return list(names)


def _require_distinct(ids: Any, nodes: Source) -> None:
    codes = columns.to_numpy(pc.dictionary_encode(ids).indices)
    again = np.ones(len(codes), dtype=bool)
    again[np.unique(codes, return_index=True)[1]] = False
    if again.any():
        second = int(again.argmax())
        first = int((codes == codes[second]).argmax())
        raise InputError(
            f"node id {short(ids[second].as_py())} stands twice, in {nodes.at(first)} and again in {nodes.at(second)}: "
            "keep one of them"
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


def _stem(edges: Any) -> str:
    if not isinstance(edges, str | Path):
        return "graph"
    file = Path(edges).name
    return next((file[: -len(s)] for s in sorted(SUFFIXES, key=len, reverse=True) if file.lower().endswith(s)), file)
