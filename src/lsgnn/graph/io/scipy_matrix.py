"""A (sparse) adjacency matrix → `Graph`."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.errors import InputError
from lsgnn.graph.arrays import as_array
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.build import build
from lsgnn.graph.validate import require_sound


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
    return build(x, edges, n, y=y, edge_weight=adjacency.data if weighted else None, name=name)


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
