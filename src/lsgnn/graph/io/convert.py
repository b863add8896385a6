"""PyG, networkx, scipy, paths and dataset names ↔ `Graph`. `as_graph` stands at the door of every public function.

networkx and PyG are imported only when one of their objects is at hand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.npz import load_npz
from lsgnn.graph.paths import expanded, is_file, shortened
from lsgnn.graph.shown import short
from lsgnn.graph.splits import Splits
from lsgnn.graph.validate import as_array, require_sound, text_array
from lsgnn.memory import require_memory

if TYPE_CHECKING:
    import networkx as nx
    from torch_geometric.data import Data

PARTS = ("train", "val", "test")
BYTES_OF_STRUCTURE = 400  # what structural features take for a node while they are computed
TABLE_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")


def as_graph(source: Any) -> Graph:
    """A `Graph` from what people have at hand.

    Args:
        source: a `Graph`, a PyG `Data`, a networkx graph, the path of a `.npz` file, or the name of a dataset.
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, str | Path):
        return _by_path_or_name(source)
    if _is_instance(source, "torch_geometric.data", "Data"):
        return from_pyg(source)
    if _is_instance(source, "networkx", "Graph"):
        return from_networkx(source)
    hint = "dataset[0] of a PyG dataset, " if _is_instance(source, "torch_geometric.data", "Dataset") else ""
    raise InputError(
        f"cannot make a graph of a {type(source).__name__}: pass {hint}a lsgnn.Graph, a PyG Data, a networkx graph, "
        "the path of a .npz file or a dataset name; for tables there is lsgnn.read_tables, "
        "for scipy lsgnn.from_scipy"
    )


def from_scipy(adjacency: Any, x: Any, y: Any = None, *, name: str = "graph") -> Graph:
    """A graph from a square (sparse) matrix: entry (i, j) is the edge i → j, and its weight unless all are 1."""
    adjacency = _as_coo(adjacency)
    n = adjacency.shape[0] if adjacency.ndim else 0
    if adjacency.ndim != 2 or adjacency.shape[1] != n:
        raise InputError(f"the adjacency has shape {adjacency.shape}, but it must be square [nodes, nodes]: mend it")
    adjacency.sum_duplicates()
    adjacency.eliminate_zeros()
    edges = np.stack([adjacency.row, adjacency.col])
    weighted = bool((adjacency.data != 1).any())
    return _build(x, edges, n, y=y, edge_weight=adjacency.data if weighted else None, name=name)


def from_pyg(data: Data, *, name: str = "graph") -> Graph:
    """A graph from a PyG `Data`: `edge_index`, `x`, `y`, `edge_weight` and the masks ([n] or [n, splits])."""
    if not _is_instance(data, "torch_geometric.data", "Data"):
        raise InputError(f"from_pyg reads a torch_geometric.data.Data, not a {type(data).__name__}: pass one")
    if data.edge_index is None:
        raise InputError(
            "the PyG Data has no edge_index: set it (from adj_t by torch_geometric.utils.to_edge_index, rows swapped)"
        )
    edges = as_array(data.edge_index)
    if data.num_nodes is None:
        raise InputError("the PyG Data does not tell how many nodes it has: set its x or num_nodes")
    n = int(data.num_nodes)
    masks = {part: data.get(f"{part}_mask") for part in PARTS}
    given = [part for part, mask in masks.items() if mask is not None]
    notes = []
    if 0 < len(given) < len(PARTS):
        notes.append(f"masks ignored, because the Data has only {', '.join(f'{part}_mask' for part in given)}")
    if data.get("edge_attr") is not None and data.get("edge_weight") is None:
        notes.append("edge_attr ignored: LSGNN reads edge_weight")
    return _build(
        data.x,
        edges,
        n,
        y=data.y,
        edge_weight=data.get("edge_weight"),
        splits=_splits_of_masks(masks, n) if len(given) == len(PARTS) else None,
        name=name,
        notes=tuple(notes),
    )


def to_pyg(graph: Graph) -> Data:
    """A PyG `Data` with dense float features, masks [n] for one split and [n, splits] for several.

    It shares no memory with the graph. Node ids and class names have no place in it.
    """
    import torch
    from torch_geometric.data import Data

    x: Any = graph.x
    dense = x.toarray() if sp.issparse(x) else x
    fields = {"x": dense, "edge_index": graph.edge_index, "y": graph.y, "edge_weight": graph.edge_weight}
    if graph.splits is not None:
        for part in PARTS:
            masks = getattr(graph.splits, part).T
            fields[f"{part}_mask"] = masks[:, 0] if len(graph.splits) == 1 else masks
    return Data(**{key: torch.tensor(value) for key, value in fields.items() if value is not None})


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
        label: node attribute of the class, of any type (default: `label` or `y`); absent = unknown.
        features: node attributes of numbers (default: the vector `x` if there is one, else all attributes).
        categories: node attributes of names, each value of which becomes a 0/1 feature.
        name: the graph's name (default: networkx's own).
    """
    import pyarrow as pa

    from lsgnn.graph.io import columns
    from lsgnn.graph.io.open_table import Source
    from lsgnn.graph.io.tables import column_list

    if not _is_instance(graph, "networkx", "Graph"):
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
    label = label if label is not None else next((key for key in ("label", "y") if key in attributes), None)
    if label in categories:
        raise InputError(f"categories lists {label!r}, which is the label: leave it out")
    chosen = ["x"] if "x" in attributes else [key for key in attributes if key not in ("label", "y", label)]
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
        names = [str(key) for key in categories]
        x, fields["feature_names"] = columns.features(table, table.column_names, source, names)
    edges = np.array([(u, v) for u, v, _ in ends], dtype=np.int64).reshape(-1, 2).T
    return _build(x, edges, len(number), **fields)


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


def _build(x: Any, edges: NDArray[Any], n: int, *, notes: tuple[str, ...] = (), **fields: Any) -> Graph:
    if x is None:
        from lsgnn.graph.structural_features import NOTE, structural_features  # scipy's solvers load slowly

        most = int(edges.max()) if edges.size and edges.dtype.kind in "iu" else "none"
        what = f"the graph has no features, and to derive some for {n} nodes from its structure"
        require_memory(BYTES_OF_STRUCTURE * n, what, f"check the node numbers (the largest is {most}), or pass x")
        x, notes = structural_features(edges, n), (*notes, NOTE)
    return Graph(x=x, edge_index=edges, notes=notes, **fields)


def _by_path_or_name(source: str | Path) -> Graph:
    path = expanded(source)
    if path.name.lower().endswith(TABLE_SUFFIXES):
        raise InputError(f"{shortened(path)} is a table: read it with lsgnn.read_tables(edges, nodes)")
    if path.suffix == ".npz" or is_file(path) or isinstance(source, Path):
        return load_npz(path)
    from lsgnn.datasets import load

    return load(source)


def _is_instance(value: Any, module: str, kind: str) -> bool:
    """isinstance without the import: a value of that kind can only exist if its module is loaded."""
    return module in sys.modules and isinstance(value, getattr(sys.modules[module], kind))


def _splits_of_masks(masks: dict[str, Any], n: int) -> Splits:
    """PyG writes [n] or [n, S], and WikiCS both at once; older files hold 0/1 bytes."""
    columns = {}
    for part, given in masks.items():
        mask = as_array(given)
        mask = mask.astype(bool) if mask.dtype == np.uint8 else mask
        if mask.ndim not in (1, 2) or mask.shape[0] != n:
            raise InputError(
                f"{part}_mask has shape {mask.shape}, but the graph has {n} nodes: pass [n] or [n, splits]"
            )
        columns[part] = mask.reshape(n, -1)
    S = max(mask.shape[1] for mask in columns.values())
    if any(mask.shape[1] not in (1, S) for mask in columns.values()):
        counts = [mask.shape[1] for mask in columns.values()]
        raise InputError(f"train, val and test masks have {counts} splits: give each the same number")
    return Splits(**{part: np.broadcast_to(mask, (n, S)).T.copy() for part, mask in columns.items()})


def _as_coo(adjacency: Any) -> sp.coo_array:
    if sp.issparse(adjacency):
        require_sound(adjacency, "the adjacency")
    else:
        adjacency = as_array(adjacency)
    kind = adjacency.dtype.kind
    if kind not in "fiub" or (not sp.issparse(adjacency) and adjacency.ndim == 0):
        shown = f"of shape {adjacency.shape} with {adjacency.dtype} values"
        raise InputError(f"the adjacency is {shown}, but it is a matrix of numbers: pass a scipy matrix or an array")
    return sp.coo_array(adjacency if sp.issparse(adjacency) else adjacency.astype(np.float64), copy=True)


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
