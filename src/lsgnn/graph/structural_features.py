r"""Features for a graph that comes without any, from its structure alone: degrees and spectral coordinates.

The spectral columns are eigenvectors of :math:`D^{-1/2} A D^{-1/2}` (edges taken as undirected) with the largest
eigenvalues, scaled to a mean square of one: nodes that are well connected to each other get similar rows. They belong
to one graph: the columns of another graph mean something else, so a model that learned from them does not apply there.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from lsgnn.errors import InputError
from lsgnn.graph.degree_features import degree_features

NOTE = "no feature columns: x is log degrees and spectral coordinates of the graph itself"
MIN_EIGENVALUE = 1e-6  # at 0 and below, an eigenvector does not tell who is connected to whom
MAX_RESTARTS = 40  # of the iterative solver: seconds, not minutes, on a million edges
MAX_DENSE = 300  # nodes up to which the full decomposition is as quick, and exact


def structural_features(edge_index: NDArray[np.integer], n: int, dim: int = 16) -> NDArray[np.float32]:
    """log(1 + out-degree), log(1 + in-degree) and dim − 2 spectral coordinates [n, dim].

    Deterministic: a fixed start, and each coordinate has the sign that makes its largest entry positive. Where the
    graph has fewer coordinates with a positive eigenvalue (it is tiny, or without edges), the columns left are zero.
    """
    if dim < 2:
        raise InputError(f"dim={dim} has no room for the two degrees: it must be at least 2")
    degrees = degree_features(edge_index, n)
    spectral = spectral_coordinates(np.asarray(edge_index), n, dim - 2)
    return np.concatenate([degrees, spectral], axis=1).astype(np.float32)


def spectral_coordinates(edge_index: NDArray[np.integer], n: int, dim: int) -> NDArray[np.float64]:
    """Eigenvectors of the normalised adjacency by falling eigenvalue [n, dim], columns of mean square one."""
    out = np.zeros((n, dim))
    k = min(dim, n)
    if k > 0:
        vectors = _leading_eigenvectors(_normalized_undirected(edge_index, n), k)
        largest = vectors[np.abs(vectors).round(6).argmax(axis=0), np.arange(vectors.shape[1])]
        out[:, : vectors.shape[1]] = vectors * np.where(largest < 0, -1.0, 1.0) * np.sqrt(n)
    return out


def _leading_eigenvectors(S: sp.csr_array, k: int) -> NDArray[np.float64]:
    n = S.shape[0]
    if n <= max(MAX_DENSE, 2 * k + 2):
        values, vectors = np.linalg.eigh(S.toarray())
    else:
        start = np.random.default_rng(0).standard_normal(n)
        try:
            values, vectors = eigsh(S, k=k, which="LA", v0=start, tol=1e-6, maxiter=MAX_RESTARTS)
        except ArpackNoConvergence as error:  # those found so far are good, and zeros say nothing wrong
            values, vectors = error.eigenvalues, error.eigenvectors
    order = np.argsort(-values, kind="stable")[:k]
    order = order[values[order] > MIN_EIGENVALUE]
    return np.asarray(vectors[:, order])


def _normalized_undirected(edge_index: NDArray[np.integer], n: int) -> sp.csr_array:
    source, target = edge_index[:, edge_index[0] != edge_index[1]]
    A = sp.csr_array((np.ones(len(source)), (source, target)), shape=(n, n))
    A = A.maximum(A.T)
    A.data[:] = 1.0
    scale = 1.0 / np.sqrt(np.maximum(A.sum(axis=1), 1.0))
    return sp.csr_array(sp.diags_array(scale) @ A @ sp.diags_array(scale))
