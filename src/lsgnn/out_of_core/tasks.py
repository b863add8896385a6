"""The tasks that run side by side: each takes a block of columns, allocates two buffers, and leaves finished files."""

from __future__ import annotations

import numpy as np

from lsgnn.out_of_core.kernels import edge_sums
from lsgnn.out_of_core.layout import filter_neighbours, hop, partial_similarity, similarity_neighbours
from lsgnn.out_of_core.store import Store
from lsgnn.propagate.power_kernels import next_power


def propagate_block(folder: str, block: int) -> int:
    """Â^s X for s = 1 … K at the columns of a block, and what these columns add to the edges' similarities.

    Files that are there are not made again, so that a task that was killed goes on where it stopped.
    """
    store = Store(folder)
    config = store.config
    missing = [s for s in range(1, config.K + 1) if not store.has(hop(s, block))]
    needs_sums = not store.has("similarity") and not store.has(partial_similarity(block))
    if needs_sums:
        name = similarity_neighbours(config)
        indptr, indices = (store.array(f"{name}/{file}") for file in ("indptr", "indices"))
        with store.writing(partial_similarity(block), indices.shape, np.float64) as sums:
            edge_sums(indptr, indices, np.array(store.array(hop(0, block))), config.similarity != "cosine", sums)
    if missing:
        name = filter_neighbours(config)
        indptr, indices = (store.array(f"{name}/{file}") for file in ("indptr", "indices"))
        values = store.array("filter_values")
        power = np.array(store.array(hop(missing[0] - 1, block)))  # [n, width]
        other = np.empty_like(power)
        for s in range(missing[0], config.K + 1):
            next_power(indptr, indices, values, power, other)
            power, other = other, power
            store.save(hop(s, block), power)
    return block
