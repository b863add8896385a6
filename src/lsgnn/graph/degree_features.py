"""How many edges leave and enter each node, as features; `structural_features` adds spectral coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.graph.edge_checks import as_edges, coalesce


def degree_features(edge_index: NDArray[np.integer], n: int) -> NDArray[np.float32]:
    """log(1 + out-degree), log(1 + in-degree) over distinct edges [n, 2]."""
    edges, _, _ = coalesce(*as_edges(edge_index, None, n), n=n)
    degrees = [np.bincount(ends, minlength=n) for ends in edges]
    return np.log1p(np.stack(degrees, axis=1)).astype(np.float32)
