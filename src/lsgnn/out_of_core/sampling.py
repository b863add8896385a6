"""Some of many labelled nodes, for short training runs that choose hyperparameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST = 20  # nodes of a class, where it has so many


def stratified_sample(places: NDArray[np.int64], y: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """About `limit` of the places, each class by its share, but a rare one with at least `LEAST`; in order.

    Args:
        y: the class at each of the places.
    """
    if len(places) <= limit:
        return places
    random, found = np.random.default_rng(0), list[NDArray[np.int64]]()
    for c in np.unique(y):
        own = places[y == c]
        count = min(len(own), max(LEAST, round(limit * len(own) / len(places))))
        found.append(random.choice(own, count, replace=False))
    return np.sort(np.concatenate(found))
