"""The edges of a store, as many at a time as its memory allows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lsgnn.out_of_core.edges import BYTES_PER_EDGE
from lsgnn.out_of_core.store import Store


def edge_parts(store: Store, indptr: NDArray[np.int64]) -> Iterator[tuple[slice, int]]:
    """All edges, some at a time: which they are, and the node that reads over the first."""
    at_once = max(1, store.manifest.memory // BYTES_PER_EDGE)
    for start in range(0, int(indptr[-1]), at_once):
        part = slice(start, min(start + at_once, int(indptr[-1])))
        yield part, int(np.searchsorted(indptr, start, side="right")) - 1


def egos(indptr: NDArray[np.int64], part: slice, first: int) -> NDArray[np.int64]:
    """The nodes that read over some edges."""
    last = int(np.searchsorted(indptr, part.stop - 1, side="right")) - 1
    ends = np.clip(indptr[first : last + 2], part.start, part.stop)
    return np.repeat(np.arange(first, last + 1), np.diff(ends))
