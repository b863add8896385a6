"""The normalised adjacency matrix of a store, edge by edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.out_of_core.edge_parts import edge_parts, egos
from lsgnn.out_of_core.kernels import normalized, normalized_weights
from lsgnn.out_of_core.layout import filter_neighbours
from lsgnn.out_of_core.store import Store


def write_filter(store: Store) -> None:
    """filter_values [E]: Â = D^-1/2 A D^-1/2, as `lsgnn.propagate.filters.normalized_adjacency` has it."""
    if store.has("filter_values"):
        return
    name = filter_neighbours(store.config)
    indptr, indices = store.array(f"{name}/indptr"), store.array(f"{name}/indices")
    if store.manifest.weighted:
        weights = store.array(f"{name}/weights")
        column = _inverse_root(_weighted_degree(store, indptr, weights), store.config)[:, None]

        def scaled(part: slice, first: int, out: NDArray[np.float32]) -> None:
            normalized_weights(indptr, indices, first, part.start, weights[part], column, out)
    else:
        counts = np.diff(indptr)
        degree = counts.astype(np.min_scalar_type(counts.max()))[:, None]  # a byte, where no node has more edges
        scale = _inverse_root(np.arange(counts.max() + 1.0), store.config)

        def scaled(part: slice, first: int, out: NDArray[np.float32]) -> None:
            normalized(indptr, indices, first, part.start, degree, scale, out)

    with store.writing("filter_values", indices.shape, np.float32) as values:
        for part, first in edge_parts(store, indptr):
            scaled(part, first, values[part])


def _weighted_degree(store: Store, indptr: NDArray[np.int64], weights: NDArray[np.float32]) -> NDArray[np.float64]:
    degree = np.zeros(store.num_nodes)
    for part, first in edge_parts(store, indptr):
        degree += np.bincount(egos(indptr, part, first), weights[part], minlength=len(degree))
    return degree


def _inverse_root(degree: NDArray[np.float64], config: LSGNNConfig) -> NDArray[np.float64]:
    """D^-1/2 of some degrees; 0 of none."""
    whole = degree + (config.degree == "with_self_loop")
    return np.divide(1.0, np.sqrt(whole), out=np.zeros_like(whole), where=whole > 0)
