"""The tasks that run side by side: each takes a block of columns, allocates two buffers, and leaves finished files."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lsgnn.out_of_core.kernels import edge_sums
from lsgnn.out_of_core.layout import filter_neighbours, hop, partial_rows, partial_similarity, similarity_neighbours
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.threads import over_rows
from lsgnn.propagate.power_kernels import next_power

AT_ONCE = 1 << 14  # rows that are copied together


def propagate_block(folder: str, block: int, threads: int = 1) -> int:
    """Â^s X for s = 1 … K at the columns of a block, and what these columns add to the edges' similarities.

    Files that are there are not made again, so that a task that was killed goes on where it stopped.
    """
    store = Store(folder)
    if not store.has("similarity") and not store.has(partial_similarity(block)):
        _write_sums(store, block, threads)
    if store.manifest.keep == "all":
        _write_hops(store, block, threads)
    elif not store.has("rows") and not store.has(partial_rows(block)):
        _write_rows(store, block, threads)
    return block


def _write_sums(store: Store, block: int, threads: int) -> None:
    name = similarity_neighbours(store.config)
    indptr, indices = (store.array(f"{name}/{file}") for file in ("indptr", "indices"))
    x, differences = _features(store, block, 0), store.config.similarity != "cosine"
    with store.writing(partial_similarity(block), indices.shape, np.float64) as sums:

        def add_up(rows: slice) -> None:
            edge_sums(indptr[rows.start : rows.stop + 1], indices, x[rows], x, differences, sums)

        over_rows(indptr, threads, add_up)


def _write_hops(store: Store, block: int, threads: int) -> None:
    """All that are missing; they follow from the last that is there, or, if that one was rounded, from the first."""
    missing = [s for s in range(1, store.config.K + 1) if not store.has(hop(s, block))]
    if not missing:
        return
    start = missing[0] - 1 if store.manifest.dtype == "float32" else 0
    for s, power in propagated(store, _features(store, block, start), store.config.K - start, threads):
        if start + s in missing:
            with store.writing(hop(start + s, block), power.shape, store.manifest.dtype) as out:
                _copy(power, out)


def _write_rows(store: Store, block: int, threads: int) -> None:
    """The hops of labelled nodes only: those of the others are never on disk."""
    labelled, (first, last) = np.flatnonzero(store.array("y") >= 0), store.manifest.blocks[block]
    shape, x = (len(labelled), store.config.K + 1, last - first), _features(store, block, 0)
    with store.writing(partial_rows(block), shape, store.manifest.dtype) as out:
        _copy(x, out[:, 0], labelled)
        for s, power in propagated(store, x, store.config.K, threads):
            _copy(power, out[:, s], labelled)


def _features(store: Store, block: int, s: int) -> NDArray[np.float32]:
    return np.array(store.array(hop(s, block)), np.float32)  # [n, width]


def _copy(values: NDArray[np.float32], out: NDArray[np.floating], rows: NDArray[np.int64] | None = None) -> None:
    """Some rows, or all, maybe rounded; what half precision cannot hold becomes infinite, and is refused."""
    with np.errstate(over="ignore"):
        for start in range(0, len(out), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            out[part] = values[part if rows is None else rows[part]]


def propagated(
    store: Store, power: NDArray[np.float32], times: int, threads: int
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """(s, Â^s power) for s = 1 … times, in two buffers, of which `power` is one."""
    name = filter_neighbours(store.config)
    indptr, indices = (store.array(f"{name}/{file}") for file in ("indptr", "indices"))
    values, other = store.array("filter_values"), np.empty_like(power)
    for s in range(1, times + 1):

        def multiply(rows: slice, power: NDArray[np.float32] = power, other: NDArray[np.float32] = other) -> None:
            next_power(indptr[rows.start : rows.stop + 1], indices, values, power, other[rows])

        over_rows(indptr, threads, multiply)
        power, other = other, power
        yield s, power
