"""networkx ↔ `Graph`; networkx is imported only when it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.arrays import text_array
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.build import build, is_instance
from lsgnn.graph.shown import short

if TYPE_CHECKING:
    import networkx as nx

    from lsgnn.graph.io.roles import Role

LABELS = ("label", "y", "club")


def from_networkx(
    graph: nx.Graph,
    *,
    label: str | None = None,
    features: Sequence[str] | None = None,
    categories: Sequence[str] = (),
    name: str | None = None,
) -> Graph:
    """A graph from networkx. Undirected edges count in both directions; node names become `node_ids`.

    Args:
        graph: with weights in the edge attribute `weight`, where every edge has one.
        label: node attribute of the class, of any type (default: `label`, `y`, or `club`, as in networkx's own karate
            club); absent = unknown.
        features: node attributes of features (default: the vector `x` if there is one, else all attributes); their
            roles are inferred as those of columns of tables are.
        categories: node attributes of names, each value of which becomes a 0/1 feature.
        name: the graph's name (default: networkx's own).
    """
    import pyarrow as pa

    from lsgnn.graph.io import columns
    from lsgnn.graph.io.open_table import Source
    from lsgnn.graph.io.tables import column_list
    from lsgnn.graph.io.transformers.fit_plan import fit_plan

    if not is_instance(graph, "networkx", "Graph"):
        raise InputError(f"from_networkx reads a networkx graph, not a {type(graph).__name__}: pass one")
    if graph.number_of_nodes() == 0:
        raise InputError("the networkx graph has no nodes: add some first")
    number = {node: i for i, node in enumerate(graph)}
    ends = [(number[u], number[v], w) for u, v, w in graph.edges(data="weight")]
    if not graph.is_directed():
        ends += [(v, u, w) for u, v, w in ends if u != v]
    fields: dict[str, Any] = {
        "name": _name_of(graph) if name is None else name,
        "node_ids": _names(list(graph)),
    }
    weights = [w for _, _, w in ends if w is not None]
    if weights and len(weights) == len(ends):
        fields["edge_weight"] = weights
    elif weights:
        fields["notes"] = (f"weights ignored: only {len(weights)} of {len(ends)} edges have one",)

    categories = column_list("categories", categories)
    named = column_list("features", features)
    attributes = list(dict.fromkeys(key for _, data in graph.nodes(data=True) for key in data))
    for key in (*([label] if label is not None else []), *named, *categories):
        if not _is_among(key, attributes):
            raise InputError(f"no node has an attribute {short(key)} (there are {attributes}): name one of those")
    label = label if label is not None else next((key for key in LABELS if key in attributes), None)
    if label in categories:
        raise InputError(f"categories lists {label!r}, which is the label: leave it out")
    chosen = ["x"] if "x" in attributes else [key for key in attributes if key not in (*LABELS, label)]
    chosen = list(dict.fromkeys((*(chosen if features is None else named), *categories)))
    values = {
        key: [_plain(data.get(key)) for _, data in graph.nodes(data=True)]
        for key in (*chosen, label)
        if key is not None
    }
    if label is not None:
        fields["y"], fields["class_names"] = columns.classes(_class_column(values[label], number, label))
    x = None
    if chosen:
        try:
            table = pa.table({str(key): pa.array(values[key]) for key in chosen})
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            reason = " ".join(str(error).split())[:200]
            raise InputError(f"node attributes mix types ({reason}): give every node numbers of one kind") from error
        source = Source(table, "the networkx nodes", table.column_names)
        roles: dict[str, Role] = {str(key): "category" for key in categories}
        plan, told = fit_plan(table, table.column_names, source, roles=roles, listed=[str(key) for key in named])
        fields["notes"] = (*fields.get("notes", ()), *told)
        if plan:
            x = plan.apply(table, source)
            fields |= {"feature_names": plan.feature_names, "columns": plan}
    edges = np.array([(u, v) for u, v, _ in ends], dtype=np.int64).reshape(-1, 2).T
    return build(x, edges, len(number), **fields)


def to_networkx(graph: Graph) -> nx.DiGraph:
    """A networkx `DiGraph` that `from_networkx` reads: nodes by their ids, `x`, `label` where known, `weight`."""
    import networkx as nx

    out = nx.DiGraph(name=graph.name)
    ids = graph.node_ids.tolist()
    x: Any = graph.x
    for i, node in enumerate(ids):
        row = x[[i]].toarray()[0] if sp.issparse(x) else x[i]
        label = {"label": graph.class_names[graph.y[i]]} if graph.y[i] >= 0 else {}
        out.add_node(node, x=row.tolist(), **label)
    for e, (u, v) in enumerate(graph.edge_index.T.tolist()):
        weight = {} if graph.edge_weight is None else {"weight": float(graph.edge_weight[e])}
        out.add_edge(ids[u], ids[v], **weight)
    return out


def _names(nodes: list[Any]) -> NDArray[Any]:
    if all(isinstance(node, int) and not isinstance(node, bool) and -(2**63) <= node < 2**63 for node in nodes):
        return np.array(nodes, dtype=np.int64)
    return text_array([str(node) for node in nodes], "node_ids")


def _class_column(labels: list[Any], nodes: Iterable[Any], key: str) -> Any:
    """The labels as Arrow takes them: of one type, else as text; what holds several values is not one class."""
    import pyarrow as pa

    for node, value in zip(nodes, labels, strict=True):
        if hasattr(value, "__len__") and not isinstance(value, str | bytes):
            kind = type(value).__name__
            raise InputError(
                f"node {node!r} has a {kind} in {key!r}, but a label is one class: pass text or a number for each node"
            )
    labels = [None if _is_missing(value) else value for value in labels]
    kinds = {type(value) for value in labels} - {type(None)}
    if kinds <= {str} or kinds == {bool} or kinds == {float} or (kinds == {int} and _fit_int64(labels)):
        return pa.array(labels)
    return pa.array([None if value is None else str(value) for value in labels])


def _name_of(graph: nx.Graph) -> str:
    return str(graph.name) if isinstance(graph.name, str | int) and graph.name != "" else "graph"


def _is_among(key: Any, attributes: list[Any]) -> bool:
    try:
        return key in dict.fromkeys(attributes)
    except TypeError:  # what cannot be hashed is no key
        return False


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


def _fit_int64(labels: list[Any]) -> bool:
    return all(value is None or -(2**63) <= value < 2**63 for value in labels)


def _plain(value: Any) -> Any:
    """numpy and torch values as Python ones, which Arrow takes."""
    try:
        return value.tolist() if hasattr(value, "tolist") else value
    except (TypeError, RuntimeError):  # a sparse tensor
        return value
