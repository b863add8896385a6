"""The classes of a node's neighbours as columns of a table, as far as neighbours are training nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

UNKNOWN = -1
ROUNDING = 1e-9  # of a sum of weights: what is left of a difference may be nothing else

Floats = NDArray[np.float32]


def count_label_columns(num_classes: int, ways: int, limit: int) -> int:
    """How many columns `label_columns` has."""
    return ways * (2 * _num_read(num_classes, ways, limit) + 1)


def label_columns(ways: Sequence[sp.csr_array], labels: NDArray[np.int64], num_classes: int, limit: int) -> Floats:
    """Each way the shares of the classes one step away and two, and the log number of labelled neighbours [n, p].

    NaN where no neighbour is labelled. A node never reads its own label: walks of two steps that end where they began
    are left out, or a training node would find its class in a column that says nothing to others.

    Args:
        ways: adjacencies [n, n] without self loops; weights weigh the shares.
        labels: class of each training node, `UNKNOWN` elsewhere; nodes after the last one have none.
        limit: of all shares together; of more classes the most frequent ones are read.
    """
    known = np.flatnonzero(labels != UNKNOWN)
    Y = np.zeros((ways[0].shape[0], num_classes))  # [n, C]
    Y[known, labels[known]] = 1
    frequent = np.argsort(-np.bincount(labels[known], minlength=num_classes), kind="stable")
    read = np.sort(frequent[: _num_read(num_classes, len(ways), limit)])
    columns = list[NDArray[np.float64]]()
    for A in ways:
        A = A.astype(np.float64)
        near, returning = A @ Y, np.asarray(A.multiply(A.T).sum(axis=1)).reshape(-1, 1)
        far = A @ near - returning * Y
        far[far <= ROUNDING * (far.sum(axis=1, keepdims=True) + returning)] = 0.0
        columns += [_shares(near)[:, read], np.log1p(near.sum(axis=1, keepdims=True)), _shares(far)[:, read]]
    return np.hstack(columns).astype(np.float32)


def _num_read(num_classes: int, ways: int, limit: int) -> int:
    return max(1, min(num_classes, limit // (2 * ways)))


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    total = counts.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(counts, total, out=np.full(counts.shape, np.nan), where=total > 0)
    return shares
