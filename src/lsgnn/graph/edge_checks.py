"""The checks of edges and their weights: between existing nodes, positive, each edge once."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.arrays import as_array, as_float32

Edges: TypeAlias = NDArray[np.int64]
EdgeWeight: TypeAlias = "NDArray[np.float32] | None"


def as_edges(edge_index: Any, edge_weight: Any, n: int) -> tuple[Edges, EdgeWeight]:
    """Edges as int64 [2, E] between existing nodes, weights as positive float32 [E]."""
    edges = as_array(edge_index)
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise InputError(
            f"edge_index has shape {edges.shape}, but edges are [2, E] (source row, target row): transpose it"
        )
    if edges.size and edges.dtype.kind not in "iu":
        raise InputError(
            f"edge_index holds {edges.dtype} values, but node numbers are integers: use tables, where nodes have names"
        )
    edges = edges.astype(np.int64)
    outside = ((edges < 0) | (edges >= n)).any(axis=0)
    if outside.any():
        e = int(outside.argmax())
        node = next(int(v) for v in edges[:, e] if not 0 <= v < n)
        raise InputError(
            f"edge {e} points to node {node}, but the graph has nodes 0..{n - 1}: "
            "check that ids start at 0 or pass a nodes table"
        )
    if edge_weight is None:
        return edges, None
    weight = as_array(edge_weight)
    if weight.ndim == 2 and weight.shape[1] == 1:  # PyG's edge_attr shape
        weight = weight[:, 0]
    if weight.shape != (edges.shape[1],):
        raise InputError(
            f"edge_weight has shape {weight.shape}, but there are {edges.shape[1]} edges: pass one weight per edge"
        )
    if weight.dtype.kind not in "fiub":
        raise InputError(f"edge_weight holds {weight.dtype} values, but weights are numbers: convert them first")
    given, weight = weight, as_float32(weight)
    bad = ~(np.isfinite(weight) & (weight > 0))
    if bad.any():
        e = int(bad.argmax())
        fix = "a weight of 0 says that there is no edge, so drop it" if given[e] == 0 else "drop that edge or mend it"
        raise InputError(f"edge {e} has weight {given[e]}, but weights are positive, finite and fit a float32: {fix}")
    return edges, weight


def coalesce(
    edges: Edges, weight: EdgeWeight, *, n: int, node_ids: NDArray[Any] | None = None
) -> tuple[Edges, EdgeWeight, int]:
    """Edges sorted by (source, target), each once; also how many duplicates were merged."""
    key = edges[0] * n + edges[1]
    if (key[1:] > key[:-1]).all():  # sorted and distinct already, as every stored graph is
        return np.ascontiguousarray(edges), weight, 0
    if weight is None:
        distinct = np.sort(key)  # ten times as fast as np.unique, which hashes
        distinct = distinct[np.append(True, distinct[1:] > distinct[:-1])]
    else:
        distinct, inverse = np.unique(key, return_inverse=True)
        total = np.bincount(inverse, weight, minlength=len(distinct))
        weight = as_float32(total)
        if not np.isfinite(weight).all():
            e = int(total.argmax())
            source, target = (int(end) if node_ids is None else node_ids[end].item() for end in divmod(distinct[e], n))
            raise InputError(too_heavy(source, target, int((inverse == e).sum()), total[e]))
    return np.stack([distinct // n, distinct % n]), weight, len(key) - len(distinct)


def too_heavy(source: Any, target: Any, count: int, total: float) -> str:
    """What is wrong with an edge whose repetitions cannot be merged."""
    return (
        f"the edge {source!r} → {target!r} stands {count} times, and its weights add up to {total:.3g}, but a float32 "
        "holds 3.4e+38 at most: divide all weights by a constant, or drop the repetitions"
    )
