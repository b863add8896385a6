r"""ASGC's filter: a polynomial of the graph for every feature column, fitted to that column alone, without labels

.. math::
    c = \arg\min_c \Big\|\sum_{k=0}^{K} c_k S^k x - x\Big\|^2 + n R c_0^2, \qquad
    \bar x = \sum_{k=0}^{K} c_k S^k x.

Without R a column would copy itself; a large R leaves only what its neighbours say of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.graph.graph import Features

BLOCK = 64  # columns propagated at a time: n × (K+1) × BLOCK numbers are held


def gram_matrices(S: sp.csr_array, x: Features, K: int) -> NDArray[np.float64]:
    """Scalar products of a column's copies x, Sx, …, S^K x with each other, for all columns [d, K+1, K+1]."""
    G = np.empty((x.shape[1], K + 1, K + 1))
    for columns, T in _copies(S, x, K):
        G[columns] = np.einsum("inc,jnc->cij", T, T, optimize=True)
    return G


def coefficients(gram: NDArray[np.float64], n: int, ridge: float) -> NDArray[np.float64]:
    """c of all columns [d, K+1], from the scalar products of their copies.

    The least squares are solved on unit-length copies, so that a huge R does not drown the others; directions that the
    copies do not span get the smallest coefficients.
    """
    G, right = gram.copy(), gram[:, :, 0]
    G[:, 0, 0] += n * ridge
    size = np.sqrt(np.einsum("cii->ci", G))
    unit = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    inverse = np.linalg.pinv(G * unit[:, :, None] * unit[:, None, :], rcond=1e-12, hermitian=True)
    return np.asarray(unit * np.einsum("cij,cj->ci", inverse, right * unit))


def filtered_rows(S: sp.csr_array, x: Features, c: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """The filtered features of some nodes [b, d]."""
    out = np.empty((len(rows), x.shape[1]), dtype=np.float32)
    for columns, T in _copies(S, x, c.shape[1] - 1):
        out[:, columns] = np.einsum("inc,ci->nc", T[:, rows], c[columns], optimize=True)
    return out


def _copies(S: sp.csr_array, x: Features, K: int) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Some columns at a time: which they are, and their propagated copies [K+1, n, c]."""
    by_column = sp.csc_array(x) if sp.issparse(x) else np.asarray(x)
    for start in range(0, x.shape[1], BLOCK):
        columns = slice(start, min(start + BLOCK, x.shape[1]))
        first: Any = by_column[:, columns]
        copies = [np.asarray(first.toarray() if sp.issparse(first) else first, dtype=np.float64)]
        for _ in range(K):
            copies.append(S @ copies[-1])
        yield columns, np.stack(copies)
