"""New nodes to attach to a known graph: checked, numbered behind the known ones, and the graph enlarged by them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.graph import Features, Graph, as_features
from lsgnn.graph.lookup import find
from lsgnn.graph.validate import as_node_ids


@dataclass(frozen=True, eq=False)
class NewNodes:
    """m nodes to attach to a graph of n: their numbers are n … n+m-1.

    Args:
        x: features [m, d].
        edge_index: edges [2, E], each with at least one new end.
        edge_weight: weights [E]; None where the graph has none.
        node_ids: the user's names of the new nodes [m].
    """

    x: Features
    edge_index: NDArray[np.int64]
    edge_weight: NDArray[np.float32] | None
    node_ids: NDArray[Any]


def new_nodes(graph: Graph, x: Any, edges: Any, node_ids: Any = None, edge_weight: Any = None) -> NewNodes:
    """Checks what the user passed; `edges` are pairs (source id, target id)."""
    x = as_features(x)
    if x.shape[1] != graph.num_features:
        raise InputError(
            f"the new nodes have {x.shape[1]} features, but those of {graph.name} have {graph.num_features}: "
            "pass the same columns in the same order"
        )
    m, n = x.shape[0], graph.num_nodes
    ids = as_node_ids(_fresh_ids(graph, m) if node_ids is None else node_ids, m)
    number = {id: i for i, id in enumerate(graph.node_ids.tolist())}
    for id in ids.tolist():
        if id in number:
            raise InputError(f"node {id!r} is in {graph.name} already: give the new node another id")
    number |= {id: n + i for i, id in enumerate(ids.tolist())}
    pairs = edges.tolist() if hasattr(edges, "tolist") else list(edges) if isinstance(edges, Iterable) else [edges]
    if any(not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2 for pair in pairs):
        raise InputError("edges must be pairs (source id, target id): pass a list of pairs or an array [E, 2]")
    edge_index = find(number, (end for pair in pairs for end in pair), graph.name).reshape(-1, 2).T
    old = (edge_index < n).all(axis=0)
    if old.any():
        source, target = pairs[int(old.argmax())]
        raise InputError(
            f"the edge {source!r} → {target!r} joins two known nodes, but only new nodes are attached here: "
            "drop it, or predict on the whole new graph"
        )
    if edge_weight is None and graph.edge_weight is not None and not pairs:
        edge_weight = []
    if edge_weight is None and graph.edge_weight is not None:
        raise InputError(f"the edges of {graph.name} have weights: pass edge_weight for the new ones too")
    try:
        weight = None if edge_weight is None else np.asarray(edge_weight, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"edge_weight is not a list of numbers ({error}): pass one positive number per edge"
        ) from error
    return NewNodes(x, edge_index, weight, ids)


def _fresh_ids(graph: Graph, m: int) -> NDArray[Any]:
    if graph.node_ids.dtype.kind in "iu":
        return np.arange(m) + int(graph.node_ids.max()) + 1
    taken = set(graph.node_ids.tolist())
    names = (f"new-{i}" for i in range(m + len(taken)))
    return np.array([name for name in names if name not in taken][:m])


def enlarged(graph: Graph, new: NewNodes) -> Graph:
    """The known graph with the new nodes behind its own."""
    x = sp.vstack([sp.csr_array(graph.x), sp.csr_array(new.x)], format="csr") if any_sparse(graph.x, new.x) else None
    weights = None
    if graph.edge_weight is not None or new.edge_weight is not None:
        weights = np.concatenate([_ones_if_none(graph.edge_weight, graph.num_edges), weight_of(new)])
    return Graph(
        x=np.concatenate([graph.x, new.x]) if x is None else x,
        edge_index=np.concatenate([graph.edge_index, new.edge_index], axis=1),
        edge_weight=weights,
        name=graph.name,
    )


def any_sparse(*matrices: Any) -> bool:
    return any(sp.issparse(matrix) for matrix in matrices)


def _ones_if_none(weight: NDArray[np.float32] | None, count: int) -> NDArray[np.float32]:
    return np.ones(count, np.float32) if weight is None else weight


def weight_of(new: NewNodes) -> NDArray[np.float32]:
    return _ones_if_none(new.edge_weight, new.edge_index.shape[1])
