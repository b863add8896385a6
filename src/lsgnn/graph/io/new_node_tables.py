"""CSV / Parquet tables of new nodes and of the edges that attach them to a known graph; for `Run.predict_new`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io import columns
from lsgnn.graph.io.edge_table import EdgeRows, edge_columns
from lsgnn.graph.io.open_table import open_table
from lsgnn.graph.io.roles import Role
from lsgnn.graph.io.tables import columns_of, feature_columns, remembered, told_roles
from lsgnn.graph.io.transformers.fit_plan import fit_plan
from lsgnn.graph.validate import Features


@dataclass(frozen=True, eq=False)
class NewNodeTables:
    """What the tables hold, named as `Run.predict_new` names its arguments."""

    x: Features
    edges: list[tuple[Any, Any]]
    node_ids: NDArray[Any]
    edge_weight: NDArray[np.float32] | None
    feature_names: tuple[str, ...]


def read_new_nodes(
    edges: Any,
    nodes: Any,
    *,
    like: Graph | None = None,
    id: str | None = None,
    label: str | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    features: Sequence[str] | None = None,
    categories: Sequence[str] = (),
    roles: Mapping[str, Role] | None = None,
    delimiter: str | None = None,
) -> NewNodeTables:
    """Reads tables as `lsgnn.read_tables` does, but edges may also point to nodes that are not in the node table.

    Columns are found by the same names; a label column, if there is one, is not read. With `like`, a graph that was
    read from tables, columns have the places and roles that they had there, and its transformers are applied; so the
    new nodes get its medians, its words and its ages. Without edges (None) they stand alone.
    """
    known = columns_of(like)
    node_source = open_table(nodes, "node", delimiter)
    id, label = remembered(known, node_source, id=id, label=label).values()
    id = node_source.require(id, "id") if id is not None else node_source.find("id", "node", "node_id")
    id = id or node_source.names[0]
    label = node_source.require(label, "label") if label is not None else node_source.find("label", "class", "y")
    told = told_roles(node_source, categories, roles)
    chosen = feature_columns(node_source, features, list(told), not_features={id, label})
    as_text = [*(known.text_columns if known else told), id, *([label] if label else [])]
    node_table = node_source.read(text=as_text)
    plan = known or fit_plan(node_table, chosen, node_source, roles=told, listed=chosen)[0]
    if not plan:
        raise InputError(f"{node_source.title} has no feature columns: pass those that the graph has")
    pairs: list[tuple[Any, Any]] = []
    edge_weight: NDArray[np.float32] | None = None
    if edges is not None:
        edge_source = open_table(edges, "edge", delimiter)
        given = {"source": source, "target": target, "weight": weight}
        ends, weight = edge_columns(edge_source, **remembered(known, edge_source, **given))
        rows = EdgeRows.read(edge_source, ends, weight)
        pairs = list(zip(*(columns.to_numpy(end).tolist() for end in (rows.sources, rows.targets)), strict=True))
        edge_weight = rows.weight
    return NewNodeTables(
        x=plan.apply(node_table, node_source),
        edges=pairs,
        node_ids=columns.to_numpy(columns.ids(node_table, id, node_source)),
        edge_weight=edge_weight,
        feature_names=plan.feature_names,
    )
