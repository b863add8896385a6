"""Features on one scale: rows of length one, as the released code has them, or columns of one size."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.config import FeatureNorm
from lsgnn.graph.graph import Features
from lsgnn.propagate.column_scale import ColumnScale

VALUES_AT_ONCE = 1 << 16  # in double precision: few enough to stay in the processor's cache


def normalize_features(x: Features, norm: FeatureNorm, columns: ColumnScale | None = None) -> Features:
    """Rows of x scaled to length one (l2) or absolute sum one (l1), or columns brought to one size (standard).

    Zero rows and constant columns become zero. Where x is of new nodes, `columns` is what standardised the known ones
    (by default x speaks for itself); rows do not depend on it.
    """
    if norm == "none":
        return x
    if norm == "standard":
        return (columns or ColumnScale.of(x)).apply(x)
    if not sp.issparse(x):
        out, at_once = np.empty(x.shape, np.float32), max(1, VALUES_AT_ONCE // max(1, x.shape[1]))
        for start in range(0, len(x), at_once):
            part = slice(start, start + at_once)
            dense = np.asarray(x[part], dtype=np.float64)
            scale = _inverse_size((dense**2 if norm == "l2" else np.abs(dense)).sum(axis=1), norm)
            out[part] = dense * scale[:, None]
        return out
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
