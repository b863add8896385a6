"""A request's new nodes, checked and in numbers: what a scorer reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.errors import InputError
from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.new_nodes import NewNodes, any_sparse, weight_of
from lsgnn.graph.shown import short
from lsgnn.serving.feature_reader import FeatureReader
from lsgnn.serving.new_node import NewEdge, NewNode
from lsgnn.serving.node_index import NodeIndex


@dataclass(frozen=True, eq=False)
class Incoming:
    """New nodes, numbered after the known ones.

    Args:
        nodes: as the client described them.
        attached: the same in numbers.
        notes: on values that are new to the model.
    """

    nodes: Sequence[NewNode]
    attached: NewNodes
    notes: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.nodes)


def read_incoming(nodes: Sequence[NewNode], index: NodeIndex, features: FeatureReader, graph: Graph) -> Incoming:
    """Checks nodes against those that are known; raises `InputError` for what cannot be attached."""
    number: dict[Any, int] = {}
    for node in nodes:
        if index.get(node.id) is not None:
            raise InputError(f"node {short(node.id)} is in {graph.name} already: give the new node another id")
        if str(node.id) in number:
            raise InputError(f"node {short(node.id)} stands twice in the request: describe it once")
        number[str(node.id)] = len(index) + len(number)
        if node.label is not None and node.label not in graph.class_names:
            known = ", ".join(map(short, graph.class_names[:30]))
            raise InputError(
                f"label {short(node.label)} of node {short(node.id)} is no class of the run: use one of {known}"
            )
    ends, weights = [], []
    for node in nodes:
        for edge in node.edges:
            if str(node.id) not in (str(edge.source), str(edge.target)):
                raise InputError(
                    f"the edge {short(edge.source)} → {short(edge.target)} is not one of node {short(node.id)}: "
                    "list it under a node that it starts or ends at"
                )
            ends.append([number[str(end)] if str(end) in number else index.find(end) for end in _ends(edge)])
            weights.append(_weight(edge, graph))
    edge_index = np.array(ends, np.int64).reshape(-1, 2).T
    has_weights = graph.edge_weight is not None or any(edge.weight is not None for node in nodes for edge in node.edges)
    if not has_weights:
        edge_index = np.unique(edge_index, axis=1)  # beside requests with weights, one that stands twice would add up
    x, notes = features.read(nodes)
    ids = np.array([node.id for node in nodes], dtype=object)
    return Incoming(
        nodes, NewNodes(x, edge_index, np.array(weights, np.float32) if has_weights else None, ids), tuple(notes)
    )


def joined(parts: Sequence[Incoming], known: int) -> NewNodes:
    """Several requests as one: their nodes do not see each other."""
    if len(parts) == 1:
        return parts[0].attached
    edges, start = [], 0
    for part in parts:
        own = part.attached.edge_index
        edges.append(np.where(own >= known, own + start, own))
        start += len(part)
    xs = [part.attached.x for part in parts]
    x: Features = sp.vstack(xs, format="csr") if any_sparse(*xs) else np.concatenate(xs)
    weights = [weight_of(part.attached) for part in parts]
    weighted = any(part.attached.edge_weight is not None for part in parts)
    ids = np.concatenate([part.attached.node_ids for part in parts])
    return NewNodes(x, np.concatenate(edges, axis=1), np.concatenate(weights) if weighted else None, ids)


def _ends(edge: NewEdge) -> tuple[str | int, str | int]:
    return edge.source, edge.target


def _weight(edge: NewEdge, graph: Graph) -> float:
    if edge.weight is None:
        if graph.edge_weight is not None:
            raise InputError(f"the edges of {graph.name} have weights: give the new ones a weight too")
        return 1.0
    with np.errstate(over="ignore", under="ignore"):
        weight = float(np.float32(edge.weight))
    if not 0 < weight < np.inf:
        raise InputError(
            f"an edge has weight {edge.weight}, but weights are positive, finite and fit a float32: drop it or mend it"
        )
    return weight
