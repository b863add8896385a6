"""Edges in any order → the neighbours that each node reads, sorted and without duplicates, in bounded memory.

Edges are dealt out to files by ranges of rows, each range small enough to be sorted in memory. The rules are those of
`Graph` and `lsgnn.propagate.filters.adjacency`: weights of repeated edges are added, and where an undirected graph has
both directions of an edge the larger weight counts.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import Direction
from lsgnn.errors import InputError
from lsgnn.graph.validate import too_heavy
from lsgnn.out_of_core.layout import list_files
from lsgnn.out_of_core.source import GraphArrays
from lsgnn.out_of_core.store import Store

BYTES_PER_EDGE = 96  # that reading, dealing out or sorting one edge takes at its peak

EDGE = np.dtype([("row", "i8"), ("column", "i8"), ("weight", "f4"), ("turned", "?")])
Edges = NDArray[np.void]


def write_neighbours(store: Store, arrays: GraphArrays, name: str, direction: Direction, self_loops: bool) -> None:
    """Fills `name`/indptr [n+1], indices [E] and, if the graph is weighted, weights [E]."""
    if store.has(*list_files(name, arrays.edge_weight is not None)):
        return
    n, at_once = arrays.num_nodes, max(1, store.manifest.memory // BYTES_PER_EDGE)
    counts = np.zeros(n, np.int64)  # with duplicates
    for edges in _read(arrays, direction, self_loops, at_once):
        counts += np.bincount(edges["row"], minlength=n)
    first_rows = _ranges(counts, at_once)
    folder = Path(mkdtemp(dir=store.folder, prefix=".edges-"))
    try:
        files = [folder / str(r) for r in range(len(first_rows))]
        for file in files:
            file.touch()
        for edges in _read(arrays, direction, self_loops, at_once):
            _deal_out(edges, first_rows, files)
        degree = np.zeros(n, np.int64)
        for file in files:
            merged = _merged(_load(file))
            degree += np.bincount(merged["row"], minlength=n)
            file.write_bytes(merged.tobytes())
        _join(store, name, files, degree, arrays.edge_weight is not None)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read(arrays: GraphArrays, direction: Direction, self_loops: bool, at_once: int) -> Iterator[Edges]:
    """The edges as (row, column, weight), row reading column, so many at once; an undirected edge comes both ways."""
    E, n = arrays.edge_index.shape[1], arrays.num_nodes
    for start in range(0, E, at_once):
        part = slice(start, min(start + at_once, E))
        source, target = np.asarray(arrays.edge_index[:, part], dtype=np.int64)
        weight = np.ones(len(source)) if arrays.edge_weight is None else arrays.edge_weight[part]
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused
            weight = np.asarray(weight, dtype=np.float32)
        _check(source, target, weight, n, start)
        keep = slice(None) if self_loops else source != target
        for turned in (False, True):
            if direction in ("undirected", "in" if turned else "out"):
                ends = (target, source) if turned else (source, target)
                edges = np.empty(len(source), EDGE)
                edges["row"], edges["column"] = ends
                edges["weight"], edges["turned"] = weight, turned
                yield edges[keep]


def _check(
    source: NDArray[np.int64], target: NDArray[np.int64], weight: NDArray[np.floating], n: int, start: int
) -> None:
    for ends in (source, target):
        outside = np.flatnonzero((ends < 0) | (ends >= n))
        if len(outside):
            e = int(outside[0])
            raise InputError(f"edge {start + e} names node {ends[e]}, but the nodes are 0..{n - 1}: renumber it")
    wrong = np.flatnonzero(~((weight > 0) & np.isfinite(weight)))
    if len(wrong):
        e = int(wrong[0])
        raise InputError(f"edge {start + e} has weight {weight[e]}: weights must be positive and finite")


def _ranges(counts: NDArray[np.int64], at_once: int) -> NDArray[np.int64]:
    """First rows of ranges that hold at most so many edges each (a row that alone holds more is a range of its own)."""
    ends = np.cumsum(counts)
    first_rows = [0]
    while (done := int(ends[first_rows[-1] - 1]) if first_rows[-1] else 0) + at_once < ends[-1]:
        following = int(np.searchsorted(ends, done + at_once, side="right"))
        first_rows.append(max(following, first_rows[-1] + 1))
        if first_rows[-1] >= len(counts):
            return np.array(first_rows[:-1])
    return np.array(first_rows)


def _deal_out(edges: Edges, first_rows: NDArray[np.int64], files: list[Path]) -> None:
    which = np.searchsorted(first_rows, edges["row"], side="right") - 1
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which, minlength=len(files)))
    for file, part in zip(files, np.split(edges[order], ends[:-1]), strict=True):
        with file.open("ab") as opened:
            opened.write(part.tobytes())


def _load(file: Path) -> Edges:
    return np.fromfile(file, dtype=EDGE)


def _merged(edges: Edges) -> Edges:
    """Sorted by row and column, each pair once."""
    edges = edges[np.lexsort((edges["turned"], edges["column"], edges["row"]))]
    for merge, names in ((np.add, ("row", "column", "turned")), (np.maximum, ("row", "column"))):
        if len(edges):
            new = np.any([edges[name][1:] != edges[name][:-1] for name in names], axis=0)
            starts = np.flatnonzero(np.concatenate([[True], new]))
            weight = merge.reduceat(edges["weight"], starts, dtype=np.float64)
            _require_float32(weight, edges, starts)
            edges = edges[starts]
            edges["weight"] = weight
    return edges


def _require_float32(weight: NDArray[np.float64], edges: Edges, starts: NDArray[np.int64]) -> None:
    with np.errstate(over="ignore"):
        wrong = np.flatnonzero(~np.isfinite(weight.astype(np.float32)))
    if len(wrong):
        e, ends = int(wrong[0]), np.append(starts, len(edges))
        first = edges[ends[e]]
        source, target = (int(first[end]) for end in (("column", "row") if first["turned"] else ("row", "column")))
        raise InputError(too_heavy(source, target, int(ends[e + 1] - ends[e]), weight[e]))


def _join(store: Store, name: str, files: list[Path], degree: NDArray[np.int64], weighted: bool) -> None:
    indptr = np.concatenate([[0], np.cumsum(degree)])
    columns = np.int32 if store.num_nodes < 2**31 else np.int64
    store.save(f"{name}/indptr", indptr)
    for field, file, dtype in (("column", "indices", columns), ("weight", "weights", np.float32)):
        if (field == "weight" and not weighted) or store.has(f"{name}/{file}"):
            continue
        with store.writing(f"{name}/{file}", (int(indptr[-1]),), dtype) as out:
            place = 0
            for part in files:
                edges = _load(part)
                out[place : place + len(edges)] = edges[field]
                place += len(edges)
