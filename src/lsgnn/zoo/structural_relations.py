r"""Which nodes play the same part in a graph? The structural distance of struc2vec (Ribeiro et al., KDD 2017).

.. math::
    f_k(u, v) = f_{k-1}(u, v) + \mathrm{DTW}\big(s(R_k(u)), s(R_k(v))\big), \qquad f_{-1} = 0,

where :math:`R_k(u)` is the ring of nodes k steps from u and s its sorted degrees, written as (degree, count) pairs.
The cost of matching two entries is the larger degree over the smaller (both plus ½), minus 1, times the larger count.

WRGAT reads them as relations, and Geom-GCN can embed them. Compared are only nodes of close degree, about 2·log2 n of
them each, so the work is n log n comparisons; they run exactly (no FastDTW) in compiled code and are kept in the cache
folder, for they need no labels and no settings of a model.
"""

from __future__ import annotations

import hashlib
import math
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.cache import cache_folder
from lsgnn.errors import InputError
from lsgnn.files import write_atomically
from lsgnn.zoo.degree_rings import Int, compare_rings, fill_rings, nearest_in_order, ring_sizes

FORMAT = "structural-relations-1"  # part of the key: raise it when the distance or the candidates change
CHUNK = 4096  # comparisons a thread takes at a time


@dataclass(frozen=True)
class StructuralDistances:
    """Distances f_k of candidate pairs.

    Args:
        pairs: (u, v), u < v, without repetition [2, P].
        distance: [rings, P]; NaN where u or v has no nodes that far away.
        num_nodes: n.
    """

    pairs: Int
    distance: NDArray[np.float64]
    num_nodes: int

    def relations(self) -> list[sp.csr_array]:
        """One matrix [n, n] per ring: row u holds exp(-f_k(u, ·)) over u's candidates, scaled to sum to one."""
        return [self._relation(f) for f in self.distance]

    def _relation(self, f: NDArray[np.float64]) -> sp.csr_array:
        keep = np.isfinite(f)
        u, v = self.pairs[:, keep]
        row, col, far = np.concatenate([u, v]), np.concatenate([v, u]), np.tile(f[keep], 2)
        nearest = np.full(self.num_nodes, np.inf)
        np.minimum.at(nearest, row, far)
        weight = np.exp(nearest[row] - far)  # the nearest counts 1, so that no row underflows
        total = np.bincount(row, weight, minlength=self.num_nodes)
        relation = sp.csr_array((weight / total[row], (row, col)), shape=(self.num_nodes, self.num_nodes))
        relation.sort_indices()
        return relation.astype(np.float32)


def structural_distances(A: sp.csr_array, rings: int = 3, candidates: int = 0) -> StructuralDistances:
    """Distances on the undirected graph A, from the cache if they were computed before.

    Args:
        A: [n, n], symmetric, without self loops; values play no part.
        rings: how far to look: ring 0 is the node itself, ring 1 its neighbours …
        candidates: nodes of closest degree to compare each node with; 0 for 2·log2 n.
    """
    n = A.shape[0]
    candidates = min(candidates or math.ceil(2 * math.log2(max(n, 2))), n - 1)
    path = cache_folder() / "structural" / f"{_key(A, rings, candidates)}.npz"
    known = _read(path)
    if known is not None:
        return StructuralDistances(*known, num_nodes=n)
    indptr, indices = A.indptr.astype(np.int64), A.indices.astype(np.int64)
    pairs = closest_in_degree(np.diff(indptr), candidates)
    distance = _distances(indptr, indices, pairs, rings)
    _write(path, pairs, distance)
    return StructuralDistances(pairs, distance, n)


def closest_in_degree(degree: Int, candidates: int) -> Int:
    """Pairs (u, v), u < v, of each node and the nodes nearest to it in degree (ties: nearest in number) [2, P]."""
    order = np.lexsort((np.arange(len(degree)), degree))
    chosen = nearest_in_order(degree[order].astype(np.int64), candidates)
    u, v = order[np.repeat(np.arange(len(degree)), candidates)], order[chosen.ravel()]
    both = np.unique(np.stack([np.minimum(u, v), np.maximum(u, v)]), axis=1)
    return np.asarray(both, dtype=np.int64)


def _distances(indptr: Int, indices: Int, pairs: Int, rings: int) -> NDArray[np.float64]:
    values, rank = np.unique(np.diff(indptr), return_inverse=True)
    sizes = ring_sizes(indptr, indices, rank, len(values), rings)
    start = np.concatenate([[0], np.cumsum(sizes)])
    degrees, counts = np.empty(start[-1], np.int32), np.empty(start[-1], np.int32)
    fill_rings(indptr, indices, rank, len(values), rings, start, degrees, counts)
    level = values + 0.5  # so that a node without neighbours can be compared
    cost = np.maximum(level[:, None] / level, level / level[:, None]) - 1.0
    out = np.empty((rings, pairs.shape[1]))

    def work(first: int) -> None:
        part = slice(first, first + CHUNK)
        compare_rings(pairs[0, part], pairs[1, part], start, degrees, counts, cost, out[:, part])

    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        list(threads.map(work, range(0, pairs.shape[1], CHUNK)))
    return out


def _key(A: sp.csr_array, rings: int, candidates: int) -> str:
    digest = hashlib.sha256(f"{FORMAT} {A.shape[0]} {rings} {candidates}".encode())
    digest.update(A.indptr.astype(np.int64).tobytes())
    digest.update(A.indices.astype(np.int64).tobytes())
    return digest.hexdigest()[:32]


def _read(path: Path) -> tuple[Int, NDArray[np.float64]] | None:
    """What an earlier run stored; a damaged file counts as none."""
    with suppress(Exception), np.load(path, allow_pickle=False) as stored:
        return stored["pairs"].astype(np.int64), stored["distance"]
    return None


def _write(path: Path, pairs: Int, distance: NDArray[np.float64]) -> None:
    """Best effort: a cache folder that cannot be written costs time, not the result."""
    with suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(path) as file:
            np.savez_compressed(file, pairs=pairs.astype(np.int32), distance=distance)
