"""Which way do the edges of a graph larger than memory help? `direction="auto"`, decided before a store is filled.

A store holds one direction, so that the choice comes first: on some labelled nodes, all their neighbours both ways and
the edges between, a graph that fits, by the probe of `lsgnn.runs.probe` with a single hop. Further hops would need
neighbours of neighbours; degrees of the neighbours are those within the sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn import zoo
from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.out_of_core.sampling import stratified_sample
from lsgnn.out_of_core.source import GraphArrays
from lsgnn.runs.probe import Choice, resolved
from lsgnn.zoo.prepared import Prepared

NODES = 2_000  # to learn from, and as many to judge
EDGES = 2_000_000  # that are looked for at most; where degrees are high, there are fewer nodes
AT_ONCE = 1 << 20  # edges, or rows of features, that are read at a time


def probed_direction(arrays: GraphArrays, config: LSGNNConfig) -> tuple[LSGNNConfig, Choice | None]:
    """The configuration with a direction, and how it was chosen; None where all edges go both ways."""
    graph, split = surroundings_of_a_sample(arrays)
    alone = config.replace(K=1, direction="auto")
    settled, choice = resolved(Prepared(graph), zoo.get("lsgnn"), alone, [split])
    return config.replace(direction=settled.direction), choice


def surroundings_of_a_sample(arrays: GraphArrays) -> tuple[Graph, Split]:
    """Sampled training and validation nodes with all they are joined to, as a graph in which only they have labels."""
    y, n = arrays.y, arrays.num_nodes
    per_node = 2 * arrays.edge_index.shape[1] / n
    limit = int(min(NODES, max(100, EDGES / max(1.0, 2 * per_node))))
    places = [np.flatnonzero(mask) for mask in (arrays.split.train, arrays.split.val)]
    train, val = (stratified_sample(part, y[part], limit) for part in places)
    edges, weights = _edges_of(arrays, np.concatenate([train, val]))
    nodes = np.unique(np.concatenate([train, val, edges.ravel()]))
    learned, judging = (np.isin(nodes, part) for part in (train, val))
    graph = Graph(
        x=_rows(arrays.x, nodes),
        edge_index=np.searchsorted(nodes, edges),
        edge_weight=weights,
        y=np.where(learned | judging, y[nodes], -1),
        class_names=arrays.class_names,
        name="sample",
    )
    return graph, Split(learned, judging, np.zeros(len(nodes), dtype=bool))


def _edges_of(arrays: GraphArrays, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.floating] | None]:
    """The edges [2, e] with an end among the nodes, and their weights."""
    wanted = np.zeros(arrays.num_nodes, dtype=bool)
    wanted[nodes] = True
    found, weights = list[Any](), list[Any]()
    for start in range(0, arrays.edge_index.shape[1], AT_ONCE):
        part = np.asarray(arrays.edge_index[:, start : start + AT_ONCE]).astype(np.int64)
        inside = ((part >= 0) & (part < len(wanted))).all(axis=0)  # others are refused when all edges are read
        kept = np.flatnonzero(inside)[wanted[part[:, inside]].any(axis=0)]
        found.append(part[:, kept])
        if arrays.edge_weight is not None:
            weights.append(arrays.edge_weight[start : start + AT_ONCE][kept])
    edges = np.concatenate(found, axis=1) if found else np.zeros((2, 0), np.int64)
    return edges, np.concatenate(weights) if weights else None


def _rows(x: Any, nodes: NDArray[np.int64]) -> Any:
    """Some rows of features, which may have to be read in slices."""
    if hasattr(x, "dtype"):
        return x[nodes]
    parts = []
    for start in range(0, x.shape[0], AT_ONCE):
        own = nodes[(nodes >= start) & (nodes < start + AT_ONCE)] - start
        if len(own):
            parts.append(x[slice(start, min(start + AT_ONCE, x.shape[0]))][own])
    return np.concatenate(parts)
