"""Which classes does a model find? The share of each class's nodes that it classifies right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Recall = tuple[float | None, ...]  # per class, in percent; None where a class has no node


def recall_by_class(logits: NDArray[np.float32], y: NDArray[np.int64], num_classes: int) -> Recall:
    """Of logits [b, C] and classes [b].

    >>> recall_by_class(np.eye(3, dtype=np.float32)[[0, 0, 1]], np.array([0, 1, 1]), 3)
    (100.0, 50.0, None)
    """
    nodes = np.bincount(y, minlength=num_classes)
    right = np.bincount(y[logits.argmax(axis=1) == y], minlength=num_classes)
    return tuple(100 * float(r) / int(n) if n else None for r, n in zip(right, nodes, strict=True))


def mean_recall(splits: Sequence[Recall]) -> Recall:
    """Mean over the splits that have nodes of a class.

    >>> mean_recall([(100.0, None), (50.0, None)])
    (75.0, None)
    """
    known = [[share for share in shares if share is not None] for shares in zip(*splits, strict=True)]
    return tuple(float(np.mean(shares)) if shares else None for shares in known)
