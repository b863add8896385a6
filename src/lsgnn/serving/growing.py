"""Rows that grow at the end: those of a graph, which never change, and those of the nodes kept since."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.graph.graph import Features


class GrowingArray:
    """An array [n, …] that rows are added to, each in constant time on average; `base` is not copied."""

    def __init__(self, base: NDArray[Any]) -> None:
        self.base = base
        self._tail = np.empty((0, *base.shape[1:]), base.dtype)
        self._added = 0

    def __len__(self) -> int:
        return len(self.base) + self._added

    def append(self, rows: NDArray[Any]) -> None:
        end = self._added + len(rows)
        if end > len(self._tail):
            grown = np.empty((max(64, 2 * end), *self.base.shape[1:]), self.base.dtype)
            grown[: self._added] = self._tail[: self._added]
            self._tail = grown
        self._tail[self._added : end] = rows
        self._added = end

    def take(self, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """Some rows; `numbers` are sorted."""
        n = len(self.base)
        old = int(np.searchsorted(numbers, n))
        if old == len(numbers):
            return np.asarray(self.base[numbers])
        return np.concatenate([self.base[numbers[:old]], self._tail[numbers[old:] - n]])


class GrowingSparse:
    """The same for a sparse matrix [n, d]."""

    def __init__(self, base: sp.csr_array) -> None:
        self.base = base
        self._ends = GrowingArray(np.zeros(1, np.int64))
        self._indices = GrowingArray(np.empty(0, np.int64))
        self._values = GrowingArray(np.empty(0, np.float32))

    def append(self, rows: sp.csr_array) -> None:
        stored = len(self._values)
        self._indices.append(rows.indices)
        self._values.append(rows.data)
        self._ends.append(stored + rows.indptr[1:])

    def take(self, numbers: NDArray[np.int64]) -> sp.csr_array:
        n = self.base.shape[0]
        old = int(np.searchsorted(numbers, n))
        if old == len(numbers):
            return self.base[numbers]
        added = [self._row(number - n) for number in numbers[old:].tolist()]
        return sp.vstack([self.base[numbers[:old]], *added] if old else added, format="csr")

    def _row(self, number: int) -> sp.csr_array:
        start, stop = self._ends.take(np.array([number, number + 1]))
        at = np.arange(start, stop)
        ends = np.array([0, stop - start])
        return sp.csr_array((self._values.take(at), self._indices.take(at), ends), shape=(1, self.base.shape[1]))


def growing(x: Features) -> GrowingArray | GrowingSparse:
    return GrowingSparse(sp.csr_array(x)) if sp.issparse(x) else GrowingArray(x)
