r"""LocalSim with few points: where similarities are many, its perceptron f is evaluated on a grid, and between two
points of the grid it is taken to be linear.

Refined LocalSim is a weighted sum of f at a row's similarities, so interpolation only changes the weights: a similarity
s between grid points :math:`g_j \le s \le g_{j+1}` hands the share :math:`(s - g_j) / h` of its weight to
:math:`g_{j+1}` and the rest to :math:`g_j`. Kernels and gradients stay as they are. With h the distance of the points,

.. math:: |f(s) - \tilde f(s)| \le h^2 / 8 \cdot \max |f''|,

and φ, a mean of such values, is off by no more; so is a mean of φ over a neighbourhood. Where there are no more values
than grid points, all is exact. Similarities that are standardised are so on the grid: h is then in standard deviations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from lsgnn.propagate.similarity import NeighbourSimilarity

POINTS = 2049  # h is 1/2048 of the similarities' range: with cosines, whose range is 2 at most, h² / 8 is 1.2e-7


def on_grid(similarity: NeighbourSimilarity, points: int = POINTS) -> NeighbourSimilarity:
    """The same similarities by way of at most `points` values; itself where there are no more than that."""
    values = similarity.values.astype(np.float64)
    if len(values) <= points or not np.isfinite(values).all():
        return similarity
    low, high = values.min(), values.max()
    if low == high:  # not known yet: a first model, which does not read them, is trained on their account
        return similarity
    grid = np.linspace(low, high, points)
    place = (values - low) / (high - low) * (points - 1)
    left = np.minimum(place.astype(np.int64), points - 2)
    to_right = place - left
    shares = similarity.share.data.astype(np.float64)[:, None]
    weights = shares * np.stack([1 - to_right, to_right], axis=1)[similarity.share.indices]
    ends = left[similarity.share.indices][:, None] + np.arange(2)
    each = (weights.ravel(), ends.ravel(), 2 * similarity.share.indptr)  # points come repeatedly
    share = sp.csr_array(each, shape=(similarity.share.shape[0], points))
    share.sum_duplicates()
    share.eliminate_zeros()
    return replace(similarity, values=grid.astype(np.float32), share=share.astype(np.float32))
