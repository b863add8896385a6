"""CSV / Parquet tables of new nodes and of the edges that attach them to a known graph; for `Run.predict_new`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io import columns
from lsgnn.graph.io.open_table import open_table
from lsgnn.graph.io.tables import edge_columns, feature_columns


@dataclass(frozen=True, eq=False)
class NewNodeTables:
    """What the tables hold, named as `Run.predict_new` names its arguments."""

    x: NDArray[np.float32]
    edges: list[tuple[Any, Any]]
    node_ids: NDArray[Any]
    edge_weight: NDArray[np.float32] | None
    feature_names: tuple[str, ...]


def read_new_nodes(
    edges: Any,
    nodes: Any,
    *,
    id: str | None = None,
    label: str | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    features: Sequence[str] | None = None,
    categories: Sequence[str] = (),
) -> NewNodeTables:
    """Reads tables as `lsgnn.read_tables` does, but edges may also point to nodes that are not in the node table.

    Columns are found by the same names; a label column, if there is one, is not read.
    """
    node_source = open_table(nodes, "node")
    id = node_source.require(id, "id") if id is not None else node_source.find("id", "node", "node_id")
    id = id or node_source.names[0]
    label = node_source.require(label, "label") if label is not None else node_source.find("label", "class", "y")
    chosen, categories = feature_columns(node_source, features, categories, not_features={id, label})
    node_table = node_source.read(text=[name for name in (id, label, *categories) if name is not None])
    if not chosen:
        raise InputError(f"{node_source.title} has no feature columns: pass those that the graph has")
    edge_source = open_table(edges, "edge")
    ends, weight = edge_columns(edge_source, source, target, weight)
    edge_table = edge_source.read(text=list(ends))
    sources, targets = (columns.to_numpy(columns.ids(edge_table, end, edge_source)).tolist() for end in ends)
    x, feature_names = columns.features(node_table, chosen, node_source, categories)
    return NewNodeTables(
        x=x,
        edges=list(zip(sources, targets, strict=True)),
        node_ids=columns.to_numpy(columns.ids(node_table, id, node_source)),
        edge_weight=None if weight is None else columns.numbers(edge_table, weight, edge_source),
        feature_names=feature_names,
    )
