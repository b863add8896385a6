r"""From edges to the two graph filters of the paper (equation 4).

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

from lsgnn.config import Degree, Direction, FeatureNorm, Filter
from lsgnn.graph.graph import Features, Graph


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


def normalized_adjacency(A: sp.csr_array, degree: Degree, kind: Filter = "weighted_self_loop") -> sp.csr_array:
    """Â = D^-1/2 A D^-1/2 with the row sums D of A (`plain`) or of A + I (`with_self_loop`).

    For a directed A both sides use the row degree, as the released code does. `self_loop` filters keep the
    self loop in Â itself and always count it in the degree (GCN's filter).
    """
    if kind == "self_loop":
        A = sp.csr_array(A + sp.eye_array(A.shape[0], dtype=np.float32, format="csr"))
    D = np.asarray(A.sum(axis=1), dtype=np.float64)
    if degree == "with_self_loop" and kind != "self_loop":
        D = D + 1.0
    scale = np.divide(1.0, np.sqrt(D), out=np.zeros_like(D), where=D > 0)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    values = (A.data * scale[rows] * scale[A.indices]).astype(np.float32)
    return sp.csr_array((values, A.indices, A.indptr), shape=A.shape)


def normalize_features(x: Features, norm: FeatureNorm) -> Features:
    """Rows of x scaled to length one (l2) or absolute sum one (l1); zero rows stay zero."""
    if norm == "none":
        return x
    if not sp.issparse(x):
        dense = np.asarray(x, dtype=np.float64)
        scale = _inverse_size((dense**2 if norm == "l2" else np.abs(dense)).sum(axis=1), norm)
        return np.asarray(dense * scale[:, None], dtype=np.float32)
    csr: sp.csr_array = x
    rows = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
    values = csr.data.astype(np.float64)
    parts: NDArray[np.float64] = values**2 if norm == "l2" else np.abs(values)
    size = np.asarray(np.bincount(rows, parts, minlength=csr.shape[0]), dtype=np.float64)
    scaled = (values * _inverse_size(size, norm)[rows]).astype(np.float32)
    return sp.csr_array((scaled, csr.indices, csr.indptr), shape=csr.shape)


def _inverse_size(size: NDArray[np.float64], norm: FeatureNorm) -> NDArray[np.float64]:
    size = np.sqrt(size) if norm == "l2" else size
    return np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0)
