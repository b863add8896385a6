"""Edges in any order → the neighbours that each node reads, sorted and without duplicates, in bounded memory.

Edges are dealt out to files by ranges of rows, each range small enough to be sorted in memory (`edge_kernels`). The
rules are those of `Graph` and `lsgnn.propagate.filters.adjacency`: weights of repeated edges are added, and where an
undirected graph has both directions of an edge the larger weight counts.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lsgnn.config import Direction
from lsgnn.errors import InputError
from lsgnn.graph.edge_checks import too_heavy
from lsgnn.out_of_core.edge_kernels import count_rows, deal_out, sort_rows
from lsgnn.out_of_core.layout import list_files
from lsgnn.out_of_core.source import GraphArrays
from lsgnn.out_of_core.store import Store

BYTES_PER_EDGE = 64  # that reading, dealing out or sorting one edge takes at its peak
SHIFT = 10  # rows whose range is looked up together

Whole: TypeAlias = NDArray[np.int64]
Weights: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Part:
    """Some edges, row i reading column j, as they were given or `turned`."""

    rows: Whole
    columns: Whole
    weights: Weights  # [0] if edges have none
    turned: bool


@dataclass(frozen=True, eq=False)
class Ranges:
    """Ranges of rows, and a file of keys for each of them; beside it one of weights, if edges have some."""

    first_rows: Whole  # and, at the end, the number of nodes
    files: list[Path]
    bits: int  # of column and `turned` in a key

    def rows(self, r: int) -> slice:
        return slice(int(self.first_rows[r]), int(self.first_rows[r + 1]))


def write_neighbours(
    store: Store, arrays: GraphArrays, name: str, direction: Direction, self_loops: bool, threads: int = 1
) -> None:
    """Fills `name`/indptr [n+1], indices [E] and, if the graph is weighted, weights [E]."""
    weighted = arrays.edge_weight is not None
    if store.has(*list_files(name, weighted)):
        return
    n, at_once = arrays.num_nodes, max(1, store.manifest.memory // BYTES_PER_EDGE)
    counts = np.zeros(n, np.int64)  # of the edges of each row, first with and then without duplicates
    for part in _read(arrays, direction, at_once):
        count_rows(part.rows, part.columns, self_loops, counts)
    folder = Path(mkdtemp(dir=store.folder, prefix=".edges-"))
    try:
        ranges = _ranges(counts, max(1, at_once // threads), folder)
        _deal_out(_read(arrays, direction, at_once), self_loops, ranges)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda r: _sort_range(ranges, r, counts, weighted), range(len(ranges.files))))
        _join(store, name, ranges.files, counts, weighted)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read(arrays: GraphArrays, direction: Direction, at_once: int) -> Iterator[Part]:
    """The edges, so many at once; an undirected edge comes both ways."""
    E, n = arrays.edge_index.shape[1], arrays.num_nodes
    for start in range(0, E, at_once):
        part = slice(start, min(start + at_once, E))
        source, target = (np.array(ends[part], dtype=np.int64) for ends in arrays.edge_index)
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused
            weights = np.array(() if arrays.edge_weight is None else arrays.edge_weight[part], dtype=np.float32)
        _check(source, target, weights, n, start)
        if direction != "in":
            yield Part(source, target, weights, turned=False)
        if direction != "out":
            yield Part(target, source, weights, turned=True)


def _check(source: Whole, target: Whole, weights: Weights, n: int, start: int) -> None:
    for ends in (source, target):
        if len(ends) and (ends.min() < 0 or ends.max() >= n):
            e = int(np.argmax((ends < 0) | (ends >= n)))
            raise InputError(f"edge {start + e} names node {ends[e]}, but the nodes are 0..{n - 1}: renumber it")
    wrong = np.flatnonzero(~((weights > 0) & np.isfinite(weights)))
    if len(wrong):
        e = int(wrong[0])
        raise InputError(f"edge {start + e} has weight {weights[e]}: weights must be positive and finite")


def _ranges(counts: Whole, at_once: int, folder: Path) -> Ranges:
    """Ranges that hold at most so many edges each (a row that alone holds more is a range of its own)."""
    n, bits = len(counts), 1 + max(1, (len(counts) - 1).bit_length())
    most_rows = 1 << (63 - bits)  # more do not fit into a key
    ends = np.cumsum(counts)
    first_rows = [0]
    while (first := first_rows[-1]) < n:
        done = int(ends[first - 1]) if first else 0
        following = int(np.searchsorted(ends, done + at_once, side="right"))
        first_rows.append(min(max(following, first + 1), first + most_rows, n))
    files = [folder / str(r) for r in range(len(first_rows) - 1)]
    for file in files:
        file.touch()
        _weights_of(file).touch()
    return Ranges(np.array(first_rows), files, bits)


def _weights_of(file: Path) -> Path:
    return file.with_suffix(".weights")


def _deal_out(parts: Iterator[Part], self_loops: bool, ranges: Ranges) -> None:
    blocks = np.arange(0, ranges.first_rows[-1] + 1, 1 << SHIFT)
    nearby = np.searchsorted(ranges.first_rows[:-1], blocks, side="right") - 1
    ends = np.zeros(len(ranges.files), np.int64)
    for part in parts:
        keys, weights = np.empty_like(part.rows), np.empty_like(part.weights)
        edges = (part.rows, part.columns, part.weights, int(part.turned), self_loops)
        deal_out(*edges, ranges.first_rows, nearby, SHIFT, ranges.bits, ends, keys, weights)
        for file, start, end in zip(ranges.files, [0, *ends[:-1]], ends, strict=True):
            for place, values in ((file, keys), (_weights_of(file), weights)):
                with place.open("ab") as opened:
                    values[start:end].tofile(opened)


def _sort_range(ranges: Ranges, r: int, counts: Whole, weighted: bool) -> None:
    """Replaces keys by sorted columns, each pair once, and their weights by those that count; so for `counts`."""
    file = ranges.files[r]
    keys, weights = np.fromfile(file, np.int64), np.fromfile(_weights_of(file), np.float32)
    slots, slot_weights = np.empty_like(keys), np.empty_like(weights)
    rows = counts[ranges.rows(r)]
    ends = np.empty_like(rows)
    heavy = sort_rows(keys, weights, ranges.bits, rows, ends, slots, slot_weights)
    if heavy >= 0:
        row, key = int(np.searchsorted(ends, heavy, side="right")), int(slots[heavy])
        same = heavy + np.flatnonzero(slots[heavy : ends[row]] == key)
        edge = (ranges.rows(r).start + row, key >> 1)
        source, target = edge[::-1] if key & 1 else edge
        raise InputError(too_heavy(source, target, len(same), float(slot_weights[same].sum(dtype=np.float64))))
    kept = int(rows.sum())
    node = np.int32 if len(counts) < 2**31 else np.int64
    slots[:kept].astype(node).tofile(file)
    if weighted:
        slot_weights[:kept].tofile(_weights_of(file))


def _join(store: Store, name: str, files: list[Path], degree: Whole, weighted: bool) -> None:
    indptr = np.concatenate([[0], np.cumsum(degree)])
    store.save(f"{name}/indptr", indptr)
    node = np.int32 if store.num_nodes < 2**31 else np.int64
    _join_files(store, f"{name}/indices", files, int(indptr[-1]), node)
    if weighted:
        _join_files(store, f"{name}/weights", [_weights_of(file) for file in files], int(indptr[-1]), np.float32)


def _join_files(store: Store, name: str, files: list[Path], size: int, dtype: DTypeLike) -> None:
    if store.has(name):
        return
    with store.writing(name, (size,), dtype) as out:
        place = 0
        for file in files:
            values: NDArray[Any] = np.fromfile(file, dtype)
            out[place : place + len(values)] = values
            place += len(values)
