"""The random-walk matrix of a graph: what several baselines use where GCN uses the symmetric filter."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lsgnn.propagate.filters import row_sums


def random_walk(A: sp.csr_array) -> sp.csr_array:
    """:math:`D^{-1} A` [n, n]: rows sum to one, or are empty for a node that reads nobody."""
    D = row_sums(A)
    scale = np.divide(1.0, D, out=np.zeros_like(D), where=D > 0)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return sp.csr_array(((A.data * scale[rows]).astype(np.float32), A.indices, A.indptr), shape=A.shape)
