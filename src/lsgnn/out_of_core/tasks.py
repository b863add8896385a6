"""The tasks that run side by side: each takes a block of columns, allocates two buffers, and leaves finished files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
from numpy.typing import NDArray

from lsgnn.out_of_core.kernels import edge_sums
from lsgnn.out_of_core.layout import filter_neighbours, hop, partial_rows, partial_similarity, similarity_neighbours
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.threads import over_rows
from lsgnn.propagate.aligned import aligned
from lsgnn.propagate.power_kernels import first_power_and_sums, next_power

AT_ONCE = 1 << 14  # rows that are copied together


def propagate_block(folder: str, block: int, threads: int = 1) -> int:
    """Â^s X for s = 1 … K at the columns of a block, and what these columns add to the edges' similarities.

    Files that are there are not made again, so that a task that was killed goes on where it stopped. Where LocalSim
    reads the same neighbours as propagation, the first hop and the similarities come from one pass over the edges.
    """
    store = Store(folder)
    needs_sums = not store.has("similarity") and not store.has(partial_similarity(block))
    if needs_sums and not _in_one_pass(store):
        _write_sums(store, block, threads)
        needs_sums = False
    if store.manifest.keep == "all":
        _write_hops(store, block, threads, needs_sums)
    elif not store.has("rows") and not store.has(partial_rows(block)):
        _write_rows(store, block, threads, needs_sums)
    elif needs_sums:
        _only_sums(store, block, threads)
    return block


def _in_one_pass(store: Store) -> bool:
    return filter_neighbours(store.config) == similarity_neighbours(store.config)


def _write_sums(store: Store, block: int, threads: int) -> None:
    """Of neighbours that propagation does not read."""
    name = similarity_neighbours(store.config)
    indptr, indices = (store.array(f"{name}/{file}") for file in ("indptr", "indices"))
    x, differences = _features(store, block, 0), store.config.similarity != "cosine"
    with store.writing(partial_similarity(block), indices.shape, np.float32) as sums:

        def add_up(rows: slice) -> None:
            edge_sums(indptr[rows.start : rows.stop + 1], indices, x[rows], x, differences, sums)

        over_rows(indptr, threads, add_up)


def _only_sums(store: Store, block: int, threads: int) -> None:
    """By the same pass as ever, so that they are the same bytes; its first hop is there already."""
    for _ in propagated_with_sums(store, block, 1, threads, needs_sums=True):
        pass


def _write_hops(store: Store, block: int, threads: int, needs_sums: bool) -> None:
    """All that are missing; they follow from the last that is there, or, if that one was rounded, from the first."""
    K, missing = store.config.K, [s for s in range(1, store.config.K + 1) if not store.has(hop(s, block))]
    if needs_sums and not missing:
        _only_sums(store, block, threads)
    if not missing:
        return
    start = 0 if needs_sums or store.manifest.dtype != "float32" else missing[0] - 1
    if start == 0:
        powers = propagated_with_sums(store, block, K, threads, needs_sums)
    else:
        powers = propagated(store, _features(store, block, start), K - start, threads)
    for s, power in powers:
        if start + s in missing:
            with store.writing(hop(start + s, block), power.shape, store.manifest.dtype) as out:
                _copy(power, out)


def _write_rows(store: Store, block: int, threads: int, needs_sums: bool) -> None:
    """The hops of labelled nodes only: those of the others are never on disk."""
    labelled, (first, last) = np.flatnonzero(store.array("y") >= 0), store.manifest.blocks[block]
    shape = (len(labelled), store.config.K + 1, last - first)
    with store.writing(partial_rows(block), shape, store.manifest.dtype) as out:
        _copy(store.array(hop(0, block)), out[:, 0], labelled)
        for s, power in propagated_with_sums(store, block, store.config.K, threads, needs_sums):
            _copy(power, out[:, s], labelled)


def _features(store: Store, block: int, s: int) -> NDArray[np.float32]:
    stored = store.array(hop(s, block))
    features = aligned(*stored.shape)  # [n, width]
    features[...] = stored
    return features


def _copy(values: NDArray[np.floating], out: NDArray[np.floating], rows: NDArray[np.int64] | None = None) -> None:
    """Some rows, or all, maybe rounded; what half precision cannot hold becomes infinite, and is refused."""
    with np.errstate(over="ignore"):
        for start in range(0, len(out), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            out[part] = values[part if rows is None else rows[part]]


def propagated_with_sums(
    store: Store, block: int, times: int, threads: int, needs_sums: bool
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """(s, Â^s X) at the columns of a block for s = 1 … times, and beside the first, if needed, the sums."""
    x = _features(store, block, 0)
    if not _in_one_pass(store):
        yield from propagated(store, x, times, threads)
        return
    indptr, indices, values = filter_of(store)
    differences, other = store.config.similarity != "cosine", aligned(*x.shape)
    name, nobody = partial_similarity(block), np.empty(0, np.float32)
    with store.writing(name, indices.shape, np.float32) if needs_sums else nullcontext(nobody) as sums:

        def multiply(rows: slice) -> None:
            ends = indptr[rows.start : rows.stop + 1]
            first_power_and_sums(ends, indices, values, x[rows], x, differences, other[rows], sums)

        over_rows(indptr, threads, multiply)
    yield 1, other
    for s, power in propagated(store, other, times - 1, threads, spare=x):
        yield s + 1, power


def propagated(
    store: Store, power: NDArray[np.float32], times: int, threads: int, spare: NDArray[np.float32] | None = None
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """(s, Â^s power) for s = 1 … times, in two buffers, of which `power` is one, and `spare` may be the other."""
    indptr, indices, values = filter_of(store)
    other = aligned(*power.shape) if spare is None else spare
    for s in range(1, times + 1):

        def multiply(rows: slice, power: NDArray[np.float32] = power, other: NDArray[np.float32] = other) -> None:
            next_power(indptr[rows.start : rows.stop + 1], indices, values, power, other[rows])

        over_rows(indptr, threads, multiply)
        power, other = other, power
        yield s, power


def filter_of(store: Store) -> tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.float32]]:
    """Â: indptr, indices, values."""
    name = filter_neighbours(store.config)
    return store.array(f"{name}/indptr"), store.array(f"{name}/indices"), store.array("filter_values")
