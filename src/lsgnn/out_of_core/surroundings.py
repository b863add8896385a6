"""How many neighbours each labelled node of a store reads, and how many of the labelled ones are of its class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.out_of_core.edge_parts import edge_parts, egos
from lsgnn.out_of_core.layout import filter_neighbours
from lsgnn.out_of_core.store import Store


def surroundings(store: Store) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Degree [m] and node homophily [m] of the labelled nodes; self loops count in neither, and the homophily of a node
    without labelled neighbours is NaN."""
    name, y = filter_neighbours(store.config), np.asarray(store.array("y"))
    indptr, indices = store.array(f"{name}/indptr"), store.array(f"{name}/indices")
    known, alike = (np.zeros(store.num_nodes, np.int64) for _ in range(2))
    for part, first in edge_parts(store, indptr):
        ego = egos(indptr, part, first)
        near = indices[part]
        both = (y[ego] >= 0) & (y[near] >= 0)
        known += np.bincount(ego[both], minlength=len(y))
        alike += np.bincount(ego[both & (y[ego] == y[near])], minlength=len(y))
    share = np.divide(alike, known, out=np.full(len(y), np.nan), where=known > 0)
    labelled = store.array("labelled")
    return np.diff(indptr)[labelled], share[labelled]
