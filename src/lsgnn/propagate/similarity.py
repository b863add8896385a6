r"""How similar are a node and its neighbours? Edge similarities and the naive LocalSim (equation 6).

.. math::
    d_{ij} = \mathrm{sim}(x_i, x_j), \qquad \phi_i = \frac{1}{|N_i|} \sum_{j \in N_i} d_{ij}.

A node without neighbours has :math:`\phi_i = 0`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.config import Similarity
from lsgnn.graph.graph import Features
from lsgnn.propagate.filters import row_sums

BLOCK = 1 << 16  # edges compared at a time, so that memory stays bounded
WORTH_COMPILING = 2e7  # multiplications, about: numpy takes half a second for them
WORTH_SORTING = 64  # stored numbers of a row, on average: comparing two such rows takes longer than to sort a pair


@dataclass(frozen=True)
class NeighbourSimilarity:
    """The similarities of every node to its neighbours, grouped by equal value.

    Many edges share one similarity (binary features have few distinct dot products), and LocalSim is a mean of a
    function of a single scalar: it is enough to know, per node, which share of its neighbours has which value.

    Args:
        values: the distinct similarities [U].
        share: [n, U]; row i holds, at value u, the share of i's neighbours with that similarity.
            Rows sum to 1, or are empty for a node without neighbours.
        log_degree: log(1 + number of neighbours) [n].
        scale: mean and standard deviation of the similarities over the edges.
    """

    values: NDArray[np.float32]
    share: sp.csr_array
    log_degree: NDArray[np.float32]
    scale: tuple[float, float]

    @classmethod
    def of(cls, neighbours: sp.csr_array, similarity: NDArray[np.float32]) -> NeighbourSimilarity:
        """Groups one similarity per stored entry of `neighbours` [n, n]; edge weights, if any, weigh the mean."""
        values, which = np.unique(similarity, return_inverse=True)
        total = row_sums(neighbours)
        rows = np.repeat(np.arange(neighbours.shape[0]), np.diff(neighbours.indptr))
        share = (neighbours.data / total[rows]).astype(np.float32)
        grouped = sp.csr_array((share, (rows, which)), shape=(neighbours.shape[0], len(values)))
        grouped.sum_duplicates()
        log_degree = np.log1p(np.diff(neighbours.indptr)).astype(np.float32)
        return cls(values, grouped, log_degree, mean_and_std(similarity))

    @classmethod
    def unknown(cls, neighbours: sp.csr_array) -> NeighbourSimilarity:
        """A value of 0 for each stored entry of `neighbours`, in their order, for a model that keeps their own."""
        shape = (neighbours.shape[0], neighbours.nnz)
        rows = np.repeat(np.arange(shape[0]), np.diff(neighbours.indptr))
        share = (neighbours.data / row_sums(neighbours)[rows]).astype(np.float32)
        by_entry = sp.csr_array((share, np.arange(neighbours.nnz), neighbours.indptr), shape=shape)
        return replace(cls.of(neighbours, share), values=np.zeros(shape[1], np.float32), share=by_entry)

    @property
    def degree_scale(self) -> tuple[float, float]:
        """Mean and standard deviation of the log degrees over the nodes."""
        return mean_and_std(self.log_degree)

    def naive_localsim(self) -> NDArray[np.float32]:
        """φ_i, the plain mean of the similarities [n]."""
        return np.asarray(self.share @ self.values, dtype=np.float32)


def mean_and_std(values: NDArray[np.floating]) -> tuple[float, float]:
    """Of any numbers; a deviation of 1 where they do not differ by more than rounding, or there are none."""
    if not len(values):
        return 0.0, 1.0
    mean = float(values.mean(dtype=np.float64))
    parts = (values[start : start + BLOCK].astype(np.float64) for start in range(0, len(values), BLOCK))
    std = float(np.sqrt(sum(((part - mean) ** 2).sum() for part in parts) / len(values)))
    return mean, std if std > 1e-6 * abs(mean) else 1.0


def pairs_of(neighbours: sp.csr_array) -> NDArray[np.int64]:
    """(i, j) of each stored entry of `neighbours`, in their order [2, E]."""
    ego = np.repeat(np.arange(neighbours.shape[0]), np.diff(neighbours.indptr))
    return np.stack([ego, neighbours.indices.astype(np.int64)])


def smoothing_matrix(neighbours: sp.csr_array) -> sp.csr_array:
    """Row-normalised A + I [n, n], every neighbour counted once: the mean over a node and its neighbours."""
    n = neighbours.shape[0]
    places = (np.repeat(np.arange(n), np.diff(neighbours.indptr)), neighbours.indices)
    pattern = sp.csr_array((np.ones(neighbours.nnz), places), shape=(n, n))
    pattern = sp.csr_array(pattern.maximum(sp.eye_array(n, format="csr")))
    return sp.csr_array(sp.diags_array(1 / np.diff(pattern.indptr)) @ pattern).astype(np.float32)


def edge_similarity(
    x: Features, edge_index: NDArray[np.integer], similarity: Similarity, euclid_sign: int = -1
) -> NDArray[np.float32]:
    """sim(x_i, x_j) for each column (i, j) of `edge_index` [E].

    `cosine` is 0 where a row is all zero; `euclidean` is sign·‖x_i − x_j‖; `squared` is sign·‖x_i − x_j‖².
    """
    if sp.issparse(x) and 2 * _num_stored(x) > np.prod(x.shape):  # standardised columns: they fill up
        x = sp.csr_array(x).toarray()
    if _num_stored(x) >= WORTH_SORTING * x.shape[0]:
        pairs, which = _unordered(edge_index, x.shape[0])
        return _similarity(x, pairs, similarity, euclid_sign)[which]
    return _similarity(x, edge_index, similarity, euclid_sign)


def _unordered(edge_index: NDArray[np.integer], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each pair once, whichever way and however often it is there, and where each edge finds its own."""
    low, high = np.minimum(*edge_index).astype(np.int64), np.maximum(*edge_index).astype(np.int64)
    code = low * n + high
    order = np.argsort(code)
    first = np.concatenate([[True], np.diff(code[order]) > 0])[: len(code)]
    which = np.empty(len(code), dtype=np.int64)
    which[order] = np.cumsum(first) - 1
    return np.stack([low, high])[:, order[first]], which


def _similarity(
    x: Features, edge_index: NDArray[np.integer], similarity: Similarity, euclid_sign: int
) -> NDArray[np.float32]:
    norm2 = _squared_norms(x)
    E = edge_index.shape[1]
    out, dots = np.empty(E, dtype=np.float32), _dots_of_ends(x, E)
    for start in range(0, E, BLOCK):
        i, j = edge_index[:, start : start + BLOCK]
        dot = dots(i, j)
        if similarity == "cosine":
            size = np.sqrt(norm2[i] * norm2[j])
            out[start : start + BLOCK] = np.divide(dot, size, out=np.zeros_like(dot), where=size > 0)
        else:
            squared = _squared_distance(x, i, j, dot, norm2)
            out[start : start + BLOCK] = euclid_sign * (squared if similarity == "squared" else np.sqrt(squared))
    return out


def _dots_of_ends(x: Features, E: int) -> Callable[[NDArray[np.integer], NDArray[np.integer]], NDArray[np.float64]]:
    """x_i · x_j for arrays of i and j: by numpy where that is soon done, else by a kernel, which copies no rows."""
    if E * (_num_stored(x) / max(1, x.shape[0])) < WORTH_COMPILING:
        return lambda i, j: _row_dots(x[i], x[j])
    from lsgnn.propagate.similarity_kernels import dense_dots, sparse_dots  # Numba takes a while to import

    if sp.issparse(x):
        rows = sp.csr_array(x, copy=True)
        rows.sort_indices()
        parts = rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data.astype(np.float32)
        kernel = partial(sparse_dots, *parts)
    else:
        kernel = partial(dense_dots, np.ascontiguousarray(x, dtype=np.float32))

    def dots(i: NDArray[np.integer], j: NDArray[np.integer]) -> NDArray[np.float64]:
        out = np.empty(len(i), dtype=np.float64)
        kernel(np.array(i, dtype=np.int64), np.array(j, dtype=np.int64), out)
        return out

    return dots


def _num_stored(x: Features) -> int:
    return int(sp.csr_array(x).nnz if sp.issparse(x) else x.size)


def _squared_norms(x: Features) -> NDArray[np.float64]:
    if not sp.issparse(x) or not (x := sp.csr_array(x)).has_canonical_format:
        return _row_dots(x, x)
    rows = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
    return np.asarray(np.bincount(rows, x.data.astype(np.float64) ** 2, x.shape[0]), dtype=np.float64)


def _row_dots(left: Any, right: Any) -> NDArray[np.float64]:
    if sp.issparse(left):
        return np.asarray(left.astype(np.float64).multiply(right).sum(axis=1))
    return np.asarray(np.einsum("ed,ed->e", left, right, dtype=np.float64))


def _squared_distance(
    x: Features, i: NDArray[np.integer], j: NDArray[np.integer], dot: NDArray[np.float64], norm2: NDArray[np.float64]
) -> NDArray[np.float64]:
    """‖x_i − x_j‖² without the cancellation of ‖x_i‖² + ‖x_j‖² − 2 x_i·x_j where that would show (near-equal rows)."""
    squared = norm2[i] + norm2[j] - 2 * dot
    close = squared < 1e-4 * (norm2[i] + norm2[j])
    if close.any():
        difference = x[i[close]] - x[j[close]]
        squared[close] = _row_dots(difference, difference)
    return np.asarray(np.maximum(squared, 0.0))
