"""The inner loop of the edge similarities: what some columns add to each edge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.compiled import entry_point


@entry_point("similarities, 2 s")
def edge_sums(
    indptr: NDArray[np.integer],
    indices: NDArray[np.integer],
    egos: NDArray[np.float32],
    x: NDArray[np.float32],
    differences: Any,
    out: NDArray[np.float64],
) -> None:
    """out[e] = Σ_c x_ic x_jc for edge e = (i, j), or, with `differences`, Σ_c (x_ic − x_jc)²; x [n, c].

    `indptr` and `egos` may be those of some rows i; `indices` and `out` are of all edges.
    """
    for i in range(indptr.shape[0] - 1):
        ego = egos[i]
        for e in range(indptr[i], indptr[i + 1]):
            other = x[indices[e]]
            total = 0.0
            for c in range(ego.shape[0]):
                a, b = np.float64(ego[c]), np.float64(other[c])
                total += (a - b) * (a - b) if differences else a * b
            out[e] = total
