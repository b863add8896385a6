"""The inner loops of the sort of edges. An edge is one number of 64 bits:

    key = row · 2^bits + column · 2 + turned

Rows are counted from the first of their range. `turned` says that an undirected edge was read from its target. Numbers
are signed, because Numba turns sums of signed and unsigned ones into floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.compiled import entry_point, kernel

Whole = NDArray[np.int64]
Weights = NDArray[np.float32]

RUN = 24  # entries that are sorted by insertion; longer rows are merged from such runs


@entry_point("the sort of edges, 1 s")
def count_rows(rows: Whole, columns: Whole, self_loops: Any, counts: Whole) -> None:
    """counts[i] += number of edges in row i."""
    for e in range(rows.shape[0]):
        if self_loops or rows[e] != columns[e]:
            counts[rows[e]] += 1


@entry_point("the sort of edges, 1 s")
def deal_out(
    rows: Whole,
    columns: Whole,
    weights: Weights,
    turned: int,
    self_loops: Any,
    first_rows: Whole,
    nearby: Whole,
    shift: int,
    bits: int,
    ends: Whole,
    keys: Whole,
    key_weights: Weights,
) -> None:
    """Keys and weights of the edges, grouped by range and else in order; group r ends at ends[r].

    Range r has the rows first_rows[r] … first_rows[r+1]-1; nearby[i >> shift] is that of row i or one shortly before.
    """
    ends[:] = 0
    for e in range(rows.shape[0]):
        if self_loops or rows[e] != columns[e]:
            ends[_range_of(rows[e], first_rows, nearby, shift)] += 1
    total = 0
    for r in range(ends.shape[0]):
        total += ends[r]
        ends[r] = total - ends[r]  # first place of the group; it moves to the end as the group is filled
    for e in range(rows.shape[0]):
        if self_loops or rows[e] != columns[e]:
            r = _range_of(rows[e], first_rows, nearby, shift)
            keys[ends[r]] = ((rows[e] - first_rows[r]) << bits) | (columns[e] << 1) | turned
            if weights.shape[0]:
                key_weights[ends[r]] = weights[e]
            ends[r] += 1


@kernel
def _range_of(row: int, first_rows: Whole, nearby: Whole, shift: int) -> Any:
    r = nearby[row >> shift]
    while row >= first_rows[r + 1]:
        r += 1
    return r


@entry_point("the sort of edges, 2 s")
def sort_rows(
    keys: Whole, weights: Weights, bits: int, counts: Whole, ends: Whole, slots: Whole, slot_weights: Weights
) -> int:
    """Sorts the edges of a range by row and column, each pair once; both kinds of weights [0] if there are none.

    Weights of repeated edges are added; of both directions of an edge the larger counts. Afterwards `slots` begins with
    the columns and `slot_weights` with their weights, and counts[row] is how many of them the row has. `keys` and
    `weights` are used up.

    Returns:
        -1, or the place in `slots` of the first of some edges whose weights add up to more than float32 can hold.
    """
    total, mask = 0, (1 << bits) - 1
    for row in range(counts.shape[0]):
        ends[row] = total
        total += counts[row]
    for e in range(keys.shape[0]):
        row = keys[e] >> bits
        slots[ends[row]] = keys[e] & mask
        if weights.shape[0]:
            slot_weights[ends[row]] = weights[e]
        ends[row] += 1
    kept = first = 0
    for row in range(counts.shape[0]):
        _sort(slots, slot_weights, first, ends[row], keys, weights)
        before, e = kept, first
        while e < ends[row]:
            column, largest = slots[e] >> 1, 0.0
            while e < ends[row] and slots[e] >> 1 == column:
                key, start, added = slots[e], e, 0.0
                while e < ends[row] and slots[e] == key:
                    if weights.shape[0]:
                        added += np.float64(slot_weights[e])
                    e += 1
                if np.isinf(np.float32(added)):
                    return start
                largest = max(largest, added)
            slots[kept] = column
            if weights.shape[0]:
                slot_weights[kept] = np.float32(largest)
            kept += 1
        counts[row] = kept - before
        first = ends[row]
    return -1


@kernel
def _sort(slots: Whole, weights: Weights, first: int, last: int, spare: Whole, spare_weights: Weights) -> None:
    """Sorts slots[first:last], and the weights with them; equal ones stay in order."""
    weighted = weights.shape[0] > 0
    for start in range(first, last, RUN):
        for e in range(start + 1, min(start + RUN, last)):
            key, place = slots[e], e
            weight = weights[e] if weighted else np.float32(0)
            while place > start and slots[place - 1] > key:
                slots[place] = slots[place - 1]
                if weighted:
                    weights[place] = weights[place - 1]
                place -= 1
            slots[place] = key
            if weighted:
                weights[place] = weight
    width = RUN
    while width < last - first:
        for start in range(first, last, 2 * width):
            middle, end = min(start + width, last), min(start + 2 * width, last)
            left, right = start, middle
            for place in range(start, end):
                of_left = right >= end or (left < middle and slots[left] <= slots[right])
                taken = left if of_left else right
                spare[place] = slots[taken]
                if weighted:
                    spare_weights[place] = weights[taken]
                left, right = (left + 1, right) if of_left else (left, right + 1)
        for place in range(first, last):
            slots[place] = spare[place]
            if weighted:
                weights[place] = spare_weights[place]
        width *= 2
