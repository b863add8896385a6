"""The surroundings of single nodes for the page's drawing: whom a node reads, how much, and who of them are joined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.propagate.filters import adjacency
from lsgnn.propagate.similarity import edge_similarity
from lsgnn.runs.run import Run

MAX_NEIGHBOURS = 12  # drawn around a node: more cannot be told apart


@dataclass(frozen=True)
class EgoNetwork:
    """A node's neighbours with the largest weights.

    Args:
        neighbours: their numbers, largest weight first.
        weights: Â_ij for LSGNN, else the weight of the edge (1 without one).
        similarities: of the features, for LSGNN; else empty.
        ties: pairs of places in `neighbours` that are joined themselves.
        degree: how many neighbours there are in all.
    """

    neighbours: tuple[int, ...]
    weights: tuple[float, ...]
    similarities: tuple[float, ...]
    ties: tuple[tuple[int, int], ...]
    degree: int


def ego_networks(run: Run, nodes: NDArray[np.int64], limit: int = MAX_NEIGHBOURS) -> list[EgoNetwork]:
    """One for each of the nodes, of the neighbours that the model reads."""
    A = adjacency(run.graph, run.direction)
    joined = sp.csr_array(A + A.T)
    joined.sort_indices()
    near = [_nearest(int(i), A, run.inputs.adj if run.model == "lsgnn" else A, limit) for i in nodes]
    ends = np.cumsum([0, *(len(kept) for kept, _ in near)])
    similarity = _similarities(run, nodes, [kept for kept, _ in near])
    return [
        EgoNetwork(
            neighbours=tuple(kept.tolist()),
            weights=tuple(weights.tolist()),
            similarities=tuple(similarity[start:stop]),
            ties=_ties(joined, kept),
            degree=int(A.indptr[i + 1] - A.indptr[i]),
        )
        for i, (kept, weights), start, stop in zip(nodes, near, ends[:-1], ends[1:], strict=True)
    ]


def _nearest(
    i: int, A: sp.csr_array, weighed: sp.csr_array, limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The neighbours of node i with the largest weights, and these."""
    near = A.indices[A.indptr[i] : A.indptr[i + 1]].astype(np.int64)
    row = slice(weighed.indptr[i], weighed.indptr[i + 1])
    known = dict(zip(weighed.indices[row].tolist(), weighed.data[row].tolist(), strict=True))
    weights = np.array([known.get(j, 0.0) for j in near.tolist()])
    order = np.argsort(-weights, kind="stable")[:limit]
    return near[order], weights[order]


def _similarities(run: Run, nodes: NDArray[np.int64], near: list[NDArray[np.int64]]) -> list[float]:
    """Of every node and each of its neighbours, one after the other; none where the model knows no similarity."""
    if run.model != "lsgnn":
        return []
    pairs = np.stack([np.repeat(nodes, [len(kept) for kept in near]), np.concatenate([*near, np.empty(0, np.int64)])])
    found: list[float] = edge_similarity(run.inputs.x, pairs, run.config.similarity, run.config.euclid_sign).tolist()
    return found


def _ties(joined: sp.csr_array, kept: NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """Looked up in the rows of `joined`, whose columns ascend: to cut a matrix out for every node takes ten times as
    long."""
    ties = []
    for place, node in enumerate(kept.tolist()):
        row, later = joined.indices[joined.indptr[node] : joined.indptr[node + 1]], kept[place + 1 :]
        at = np.minimum(np.searchsorted(row, later), len(row) - 1) if len(row) else np.zeros(0, np.int64)
        ties += [(place, place + 1 + k) for k in np.flatnonzero(row[at] == later[: len(at)]).tolist()]
    return tuple(ties)
