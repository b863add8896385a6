"""Inner loops over the edges of a store: what some columns add to each similarity, and what becomes of the sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.compiled import entry_point
from lsgnn.propagate.prefetch import prefetch

Whole = NDArray[np.integer]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
AHEAD = 32  # edges by which a number of their neighbour is fetched before it is read


@entry_point("similarities, 2 s")
def edge_sums(indptr: Whole, indices: Whole, egos: Floats, x: Floats, differences: Any, out: Floats) -> None:
    """out[e] = Σ_c x_ic x_jc for edge e = (i, j), or, with `differences`, Σ_c (x_ic − x_jc)²; x [n, c].

    `indptr` and `egos` may be those of some rows i; `indices` and `out` are of all edges.
    """
    for i in range(indptr.shape[0] - 1):
        ego = egos[i]
        for e in range(indptr[i], indptr[i + 1]):
            other = x[indices[e]]
            total = np.float32(0)
            for c in range(ego.shape[0]):
                a, b = ego[c], other[c]
                total += (a - b) * (a - b) if differences else a * b
            out[e] = total


@entry_point("similarities, 1 s")
def cosines(indptr: Whole, indices: Whole, first: int, start: int, sums: Doubles, length: Floats, out: Floats) -> None:
    """out = sums / (length_i length_j), 0 where a length is, for the edges from number `start` on; the first is of row
    `first`. Lengths are a column [n, 1], which can be fetched ahead; more short ones stay in the caches."""
    i = first
    for place in range(sums.shape[0]):
        if place + AHEAD < sums.shape[0]:
            prefetch(length, indices[start + place + AHEAD], 0)
        while indptr[i + 1] <= start + place:
            i += 1
        size = np.float64(length[i, 0]) * np.float64(length[indices[start + place], 0])
        out[place] = sums[place] / size if size > 0 else 0.0


@entry_point("the filter, 1 s")
def normalized(
    indptr: Whole, indices: Whole, first: int, start: int, degree: Whole, scale: Doubles, out: Floats
) -> None:
    """out = scale[degree_i] · scale[degree_j], likewise. Degrees [n, 1] are small numbers, so that more of them stay in
    the caches than of the scales of all nodes."""
    i = first
    for place in range(out.shape[0]):
        if place + AHEAD < out.shape[0]:
            prefetch(degree, indices[start + place + AHEAD], 0)
        while indptr[i + 1] <= start + place:
            i += 1
        out[place] = scale[degree[i, 0]] * scale[degree[indices[start + place], 0]]


@entry_point("the weighted filter, 1 s")
def normalized_weights(
    indptr: Whole, indices: Whole, first: int, start: int, weights: Floats, scale: Doubles, out: Floats
) -> None:
    """out = weight · scale_i · scale_j, likewise; scales are a column [n, 1]."""
    i = first
    for place in range(out.shape[0]):
        if place + AHEAD < out.shape[0]:
            prefetch(scale, indices[start + place + AHEAD], 0)
        while indptr[i + 1] <= start + place:
            i += 1
        out[place] = weights[place] * (scale[i, 0] * scale[indices[start + place], 0])
