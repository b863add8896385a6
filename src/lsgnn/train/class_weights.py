"""How much each node counts in the loss: all alike, or so that rare classes weigh as much as frequent ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import ClassWeight


def class_weights(kind: ClassWeight, train_y: NDArray[np.int64], num_classes: int) -> NDArray[np.float32]:
    """A weight per class [C]; balanced: inversely proportional to its number of training nodes, 1 on average over them.

    A class without a training node keeps weight 1, so that its validation nodes still count.
    """
    counts = np.bincount(train_y, minlength=num_classes)
    if kind == "none":
        return np.ones(num_classes, dtype=np.float32)
    balanced = np.divide(len(train_y), (counts > 0).sum() * counts, out=np.ones(num_classes), where=counts > 0)
    return np.asarray(balanced, dtype=np.float32)


def loss_shares(weights: NDArray[np.float32], y: NDArray[np.int64]) -> NDArray[np.float32]:
    """The share of each node in a weighted mean loss [b]; they add up to one."""
    of_node = weights[y].astype(np.float64)
    return np.asarray(of_node / of_node.sum(), dtype=np.float32)
