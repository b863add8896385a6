"""Features on one scale: rows of length one, as the released code has them, or columns of deviation one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.config import FeatureNorm
from lsgnn.graph.graph import Features
from lsgnn.graph.sparsity import sparse_if_mostly_zero

MIXED = 10.0  # a column this many times as large as others decides a row's length alone


class Moments(NamedTuple):
    """Mean and variance of each column [d], and of how many rows; those of two parts of a table can be added."""

    rows: int
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]

    @classmethod
    def of(cls, x: Features) -> Moments:
        dense = _dense(x)
        return cls(len(dense), dense.mean(axis=0), dense.var(axis=0))

    def joined(self, other: Moments) -> Moments:
        rows = self.rows + other.rows
        share, gap = other.rows / rows, other.mean - self.mean
        variance = (1 - share) * self.variance + share * other.variance + share * (1 - share) * gap**2
        return Moments(rows, self.mean + share * gap, variance)


def standardized(x: Features, moments: Moments) -> NDArray[np.float32]:
    """Columns of mean zero and deviation one [n, d]; a constant one, which deviates by rounding at most, is zero."""
    deviation = np.sqrt(moments.variance)
    varies = deviation > 1e-7 * np.abs(moments.mean)
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)
    centred = _dense(x) - moments.mean
    centred *= scale  # in place: a store counts on it
    return centred.astype(np.float32)


def normalize_features(x: Features, norm: FeatureNorm, like: Features | None = None) -> Features:
    """Rows of x scaled to length one (l2) or absolute sum one (l1), or standardised columns: mean 0, deviation 1.

    Zero rows and constant columns become zero. Standardised features are dense. `like` has the columns whose mean and
    deviation count where x itself is of new nodes; rows do not depend on it.
    """
    if norm == "none":
        return x
    if norm == "standard":
        return standardized(x, Moments.of(x if like is None else like))
    if not sp.issparse(x):
        dense = _dense(x)
        scale = _inverse_size((dense**2 if norm == "l2" else np.abs(dense)).sum(axis=1), norm)
        return np.asarray(dense * scale[:, None], dtype=np.float32)
    csr: sp.csr_array = x
    rows = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
    values = csr.data.astype(np.float64)
    parts: NDArray[np.float64] = values**2 if norm == "l2" else np.abs(values)
    size = np.asarray(np.bincount(rows, parts, minlength=csr.shape[0]), dtype=np.float64)
    scaled = (values * _inverse_size(size, norm)[rows]).astype(np.float32)
    return sp.csr_array((scaled, csr.indices, csr.indptr), shape=csr.shape)


def column_sizes(x: Features) -> tuple[float, float] | None:
    """Root mean square of a small and of the largest column, if they are far apart; None if one scale serves all.

    Small is the lower tenth of the columns that are not zero. Tables that are mostly zero (words, one-hot codes) count
    as of one scale: standardising would let the rarest words speak loudest.
    """
    x = sparse_if_mostly_zero(x)
    if sp.issparse(x):
        return None
    sizes = np.sqrt((_dense(x) ** 2).mean(axis=0))
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return None
    small, largest = float(np.quantile(sizes, 0.1, method="lower")), float(sizes.max())
    return (small, largest) if largest > MIXED * small else None


def _dense(x: Any) -> NDArray[np.float64]:
    return np.asarray(x.toarray() if sp.issparse(x) else x, dtype=np.float64)


def _inverse_size(size: NDArray[np.float64], norm: FeatureNorm) -> NDArray[np.float64]:
    size = np.sqrt(size) if norm == "l2" else size
    return np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0)
