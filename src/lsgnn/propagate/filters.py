r"""From edges to the two graph filters of the paper (equation 5).

.. math::
    \mathcal F_L = \beta I + \hat A, \qquad \mathcal F_H = I - \mathcal F_L = (1-\beta) I - \hat A,
    \qquad \hat A = D^{-1/2} A D^{-1/2}.

Both are of the form :math:`a I + b \hat A`, so a filter is just the pair (a, b).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.config import Degree, Direction, Filter
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph


class LinearFilter(NamedTuple):
    """:math:`S = a I + b \\hat A`."""

    a: float
    b: float


def filter_pair(kind: Filter, beta: float) -> tuple[LinearFilter, LinearFilter]:
    """(low-pass, high-pass); for `self_loop` Â already holds the self loop and β plays no part."""
    if kind == "self_loop":
        beta = 0.0
    return LinearFilter(beta, 1.0), LinearFilter(1.0 - beta, -1.0)


def adjacency(graph: Graph, direction: Direction, self_loops: bool = False) -> sp.csr_array:
    """A [n, n] with A[i, j] > 0 where node i reads node j; weighted if the graph is, else of ones.

    `undirected` joins both directions; where both carry a weight the larger one counts.
    """
    if direction == "auto":
        raise InputError(
            "direction='auto' is for the validation nodes to decide, and nobody asked them here: let fit, evaluate, "
            "compare or tune do so, or name undirected, out or in"
        )
    source, target = graph.edge_index
    weight = np.ones(graph.num_edges, np.float32) if graph.edge_weight is None else graph.edge_weight
    if not self_loops:
        keep = source != target
        source, target, weight = source[keep], target[keep], weight[keep]
    if direction == "in":
        source, target = target, source
    shape = (graph.num_nodes, graph.num_nodes)
    A = sp.csr_array((weight, (source, target)), shape=shape)
    if direction == "undirected":
        A = sp.csr_array(A.maximum(A.T))
    A.sort_indices()
    return A


def row_sums(A: sp.csr_array) -> NDArray[np.float64]:
    """Degrees [n] in double precision: weights that fit a float32 each may not do so together."""
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return np.asarray(np.bincount(rows, A.data, minlength=A.shape[0]), dtype=np.float64)


def normalized_adjacency(A: sp.csr_array, degree: Degree, kind: Filter = "weighted_self_loop") -> sp.csr_array:
    """Â = D^-1/2 A D^-1/2 with the row sums D of A (`plain`) or of A + I (`with_self_loop`).

    For a directed A both sides use the row degree, as the released code does. `self_loop` filters keep the
    self loop in Â itself and always count it in the degree (GCN's filter).
    """
    if kind == "self_loop":
        A = sp.csr_array(A + sp.eye_array(A.shape[0], dtype=np.float32, format="csr"))
    D = row_sums(A)
    if degree == "with_self_loop" and kind != "self_loop":
        D = D + 1.0
    scale = np.divide(1.0, np.sqrt(D), out=np.zeros_like(D), where=D > 0)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    with np.errstate(over="ignore"):  # beyond float32 only in a directed graph; who trains on it looks for that
        values = (A.data * scale[rows] * scale[A.indices]).astype(np.float32)
    return sp.csr_array((values, A.indices, A.indptr), shape=A.shape)
