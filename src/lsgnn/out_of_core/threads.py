"""Rows of neighbour lists shared out to threads. Each row is computed as ever, so that any number of them yields the
same bytes; kernels do without Python's lock, and all threads read and write the same arrays."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

PER_THREAD = 8  # ranges, so that one with slow rows keeps nobody waiting for long


def all_cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_rows(indptr: NDArray[np.int64], threads: int, work: Callable[[slice], None]) -> None:
    """Calls `work` for ranges of rows that are all rows together, each with about as many edges as the others."""
    n = len(indptr) - 1
    if threads == 1:
        work(slice(0, n))
        return
    wanted = np.linspace(0, int(indptr[-1]) + n, threads * PER_THREAD + 1)
    ends = np.unique(np.searchsorted(indptr + np.arange(n + 1), wanted))  # a row costs a little even without edges
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, (slice(int(first), int(last)) for first, last in pairwise(ends))))
