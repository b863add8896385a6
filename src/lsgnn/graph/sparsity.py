"""Bag-of-words features often come as dense tables of zeros; a sparse matrix says the same with far less work."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.graph.validate import Features


def sparse_if_mostly_zero(x: Any) -> Features:
    """CSR for bag-of-words tables, dense for short or full rows; what is sparse already stays so."""
    if sp.issparse(x) or not (x.shape[1] >= 100 and np.count_nonzero(x) < x.size / 4):
        return x if sp.issparse(x) else np.asarray(x, dtype=np.float32)
    return sp.csr_array(x, dtype=np.float32)
