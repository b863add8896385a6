"""Features [n, d] → blocks of columns, rows scaled, in one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import reduce
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.out_of_core.layout import column_files, hop
from lsgnn.out_of_core.source import GraphArrays
from lsgnn.out_of_core.store import COLUMN_SCALE, Store
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.feature_norm import normalize_features

VALUES_AT_ONCE = 1 << 18  # that are scaled together: few enough to stay in the processor's cache
LINE = 16  # numbers in a line of the processor's cache
BYTES_PER_VALUE = 24  # that scaling one value in double precision takes at its peak


def column_blocks(n: int, d: int, memory: int) -> list[tuple[int, int]]:
    """[first, last) columns of blocks such that a task's two buffers [n, width] stay within `memory` bytes.

    They are as few as can be of those whose rows fill whole lines of the processor's cache, if there is room for one:
    a row of 25 numbers lies in two or three lines, each of which is fetched.
    """
    width = min(d, memory // (2 * 4 * n))
    if width < 1:
        raise InputError(
            f"one column of {n} nodes takes {2 * 4 * n / 1e6:.1f} MB for each job, more than the limit leaves it "
            f"({memory / 1e6:.1f} MB): raise the limit or take fewer jobs"
        )
    if LINE <= width < d:
        blocks = -(-d // (width // LINE * LINE))
        width = -(-d // (blocks * LINE)) * LINE
    return [(start, min(start + width, d)) for start in range(0, d, width)]


def write_columns(store: Store, arrays: GraphArrays) -> None:
    """Fills hop 0 of every block, and squared_length [n], the squared length of every scaled row."""
    standard = store.config.feature_norm == "standard"
    if store.has(*column_files(store.manifest)) and (not standard or (store.folder / COLUMN_SCALE).is_file()):
        return
    (n, d), dtype = arrays.x.shape, np.dtype(store.manifest.dtype)
    at_once = max(1, min(store.manifest.memory // BYTES_PER_VALUE, VALUES_AT_ONCE) // d)
    squared_length = np.zeros(n, np.float64)
    lost = whole = 0.0  # squares of what rounding changes, and of all values
    with ExitStack() as files:
        missing = [
            (slice(first, last), files.enter_context(store.writing(hop(0, b), (n, last - first), dtype)))
            for b, (first, last) in enumerate(store.manifest.blocks)
            if not store.has(hop(0, b))
        ]
        parts = [slice(start, min(start + at_once, n)) for start in range(0, n, at_once)]
        columns = _column_scale(store, arrays, parts) if standard else None
        for rows in parts:
            x = _dense(normalize_features(_finite(arrays, rows), store.config.feature_norm, columns))
            stored: NDArray[np.floating] = x
            if dtype == np.float16:
                with np.errstate(over="ignore"):  # what becomes infinite is refused when it is written
                    stored = x.astype(dtype)
                given, x = x, stored.astype(np.float32)  # lengths are those of what is stored
                lost, whole = lost + _squares(given - x), whole + _squares(given)
            squared_length[rows] = np.einsum("nd,nd->n", x, x, dtype=np.float64)
            for of_block, block in missing:
                block[rows] = stored[:, of_block]
    if dtype != np.float32:
        store.save_rounding_error((lost / whole) ** 0.5 if whole else 0.0)
    store.save("squared_length", squared_length)


def _squares(x: NDArray[np.float32]) -> float:
    return float(np.einsum("nd,nd->", x, x, dtype=np.float64))


def _column_scale(store: Store, arrays: GraphArrays, parts: Sequence[slice]) -> ColumnScale:
    """That of all rows; the store keeps it, because under another limit of memory its last digits may be others."""
    if (store.folder / COLUMN_SCALE).is_file():
        return ColumnScale.from_dict(store.column_scale)
    found = reduce(ColumnScale.joined, (ColumnScale.of(_finite(arrays, rows)) for rows in parts))
    store.save_column_scale(found)
    return found


def _finite(arrays: GraphArrays, rows: slice) -> NDArray[np.float32]:
    x = _dense(arrays.x[rows]).astype(np.float32, copy=False)
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise InputError(f"x[{rows.start + row}, {column}] is {x[row, column]}: replace it by a finite number")
    return x


def _dense(x: Any) -> NDArray[Any]:
    return np.asarray(x.toarray() if sp.issparse(x) else x)
