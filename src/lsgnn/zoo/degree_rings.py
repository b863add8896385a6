"""The compiled half of `structural_relations`: degrees of the nodes k steps away, and their time-warped distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Numba's decorator has no types; this one keeps those of the function."""
    fast: Function = numba.njit(cache=True, nogil=True)(function)
    return fast


@compiled
def nearest_in_order(degree: Int, candidates: int) -> Int:
    """For each place of an ascending list the places with the nearest values [n, candidates]."""
    n = len(degree)
    out = np.empty((n, candidates), np.int64)
    for p in range(n):
        left, right = p - 1, p + 1
        for c in range(candidates):
            go_left = left >= 0 and (right >= n or degree[p] - degree[left] <= degree[right] - degree[p])
            out[p, c] = left if go_left else right
            if go_left:
                left -= 1
            else:
                right += 1
    return out


@compiled
def _walk_rings(indptr: Int, indices: Int, node: int, rings: int, seen: Int, queue: Int, ends: Int) -> None:
    """Breadth first: the nodes k steps away are queue[ends[k] : ends[k + 1]]."""
    seen[node] = node
    queue[0] = node
    ends[0], ends[1] = 0, 1
    for k in range(1, rings):
        last = ends[k]
        for p in range(ends[k - 1], ends[k]):
            for e in range(indptr[queue[p]], indptr[queue[p] + 1]):
                j = indices[e]
                if seen[j] != node:
                    seen[j] = node
                    queue[last] = j
                    last += 1
        ends[k + 1] = last


@compiled
def ring_sizes(indptr: Int, indices: Int, rank: Int, num_ranks: int, rings: int) -> Int:
    """Distinct degrees in each ring of each node [n · rings]."""
    n = len(indptr) - 1
    seen, queue, ends = np.full(n, -1), np.empty(n, np.int64), np.zeros(rings + 1, np.int64)
    met = np.full(num_ranks, -1)
    out = np.zeros(n * rings, np.int64)
    for node in range(n):
        _walk_rings(indptr, indices, node, rings, seen, queue, ends)
        for k in range(rings):
            for p in range(ends[k], ends[k + 1]):
                if met[rank[queue[p]]] != node * rings + k:
                    met[rank[queue[p]]] = node * rings + k
                    out[node * rings + k] += 1
    return out


@compiled
def fill_rings(
    indptr: Int, indices: Int, rank: Int, num_ranks: int, rings: int, start: Int, degrees: Any, counts: Any
) -> None:
    """The (degree rank, count) pairs of each ring, by ascending degree."""
    n = len(indptr) - 1
    seen, queue, ends = np.full(n, -1), np.empty(n, np.int64), np.zeros(rings + 1, np.int64)
    count = np.zeros(num_ranks, np.int64)
    for node in range(n):
        _walk_rings(indptr, indices, node, rings, seen, queue, ends)
        for k in range(rings):
            for p in range(ends[k], ends[k + 1]):
                count[rank[queue[p]]] += 1
            place = start[node * rings + k]
            for r in range(num_ranks):
                if count[r] > 0:
                    degrees[place], counts[place] = r, count[r]
                    place += 1
                    count[r] = 0


@compiled
def compare_rings(u: Int, v: Int, start: Int, degrees: Any, counts: Any, cost: Any, out: Any) -> None:
    """f_k of some pairs [rings, pairs]; NaN from the first ring that either node lacks."""
    rings = out.shape[0]
    line = np.empty(cost.shape[0] + 1)
    for p in range(len(u)):
        total = 0.0
        for k in range(rings):
            a, b = u[p] * rings + k, v[p] * rings + k
            if start[a] == start[a + 1] or start[b] == start[b + 1]:
                total = np.nan
            else:
                total += time_warp(
                    degrees[start[a] : start[a + 1]],
                    counts[start[a] : start[a + 1]],
                    degrees[start[b] : start[b + 1]],
                    counts[start[b] : start[b + 1]],
                    cost,
                    line,
                )
            out[k, p] = total


@compiled
def time_warp(a: Any, count_a: Any, b: Any, count_b: Any, cost: Any, line: Any) -> float:
    """Dynamic time warping of two (rank, count) sequences; `line` is scratch for one row of the table."""
    m = len(b)
    line[0] = 0.0
    line[1 : m + 1] = np.inf
    for i in range(len(a)):
        corner, left = line[0], np.inf
        line[0] = np.inf
        for j in range(m):
            above = line[j + 1]
            left = min(min(left, above), corner) + cost[a[i], b[j]] * max(count_a[i], count_b[j])
            corner = above
            line[j + 1] = left
    return float(line[m])
