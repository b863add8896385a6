"""Geom-GCN's neighbourhoods: nodes placed in the plane, the nearest of them as further neighbours, and their quadrants.

Placements (`embed`), and which variant of the paper each belongs to:
    isomap      Geom-GCN-I (its files say MDS): shortest-path distances to landmarks, flattened by kernel PCA. With as
                many landmarks as nodes it is Isomap itself; with fewer, others are placed as new data.
    poincare    Geom-GCN-P: gensim's Poincaré embedding (`pip install gensim`), slow on large graphs.
    structural  in place of Geom-GCN-S, and not struc2vec: no maintained struc2vec is on PyPI. This keeps its distances
                (`structural_relations`) and replaces its random walks and skip-gram by their spectrum.
    spectral    two eigenvectors of the normalised adjacency: not in the paper, but cheap and deterministic.

Only the largest component is placed. Nodes outside it stay in the origin and have no further neighbours, because their
distance to the others is not defined.

Many nodes can share a place, leaves of one hub for instance. All nodes are therefore moved by a hair's breadth, at
random: ties of distance are shared out over the nodes and ties of place over the quadrants, instead of going to the
first node and to one quadrant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.sparse.linalg import eigsh
from scipy.spatial import cKDTree

from lsgnn.errors import InputError
from lsgnn.propagate.filters import row_sums
from lsgnn.zoo.structural_relations import structural_distances

Embedding = Literal["isomap", "spectral", "structural", "poincare"]
Positions = NDArray[np.float64]  # [n, 2]
Pairs = NDArray[np.int64]  # [2, P]: node v and its neighbour u

GRAPH, LATENT = 0, 1
SPACES = {"graph": GRAPH, "latent_space": LATENT, "0": GRAPH, "1": LATENT}
HAIR = 1e-6  # how far nodes of one place are set apart, of the width of the drawing
SPREAD = 8  # no node gets more than this many times the mean number of further neighbours


@dataclass(frozen=True)
class Neighbourhoods:
    """Node v reads u, each pair once, in one of nine groups [E]: space · 4 + quadrant, or 8 for v = u."""

    v: NDArray[np.int64]
    u: NDArray[np.int64]
    group: NDArray[np.int64]

    NUM_GROUPS = 9

    @classmethod
    def of(cls, pairs: Pairs, space: NDArray[np.int64], quadrant: NDArray[np.int64], n: int) -> Neighbourhoods:
        """Joins the pairs with a self loop per node; a latent neighbour overrides the graph neighbour it also is."""
        proper = pairs[0] != pairs[1]
        v, u = pairs[:, proper]
        group = 4 * space[proper] + quadrant[proper]
        order = np.lexsort((-space[proper], v * n + u))
        first = np.ones(len(order), dtype=bool)
        first[1:] = np.diff((v * n + u)[order]) != 0
        keep, nodes = order[first], np.arange(n)
        return cls(
            np.concatenate([v[keep], nodes]),
            np.concatenate([u[keep], nodes]),
            np.concatenate([group[keep], nodes * 0 + 8]),
        )


def neighbourhoods(A: sp.csr_array, embedding: Embedding, landmarks: int = 1024, seed: int = 0) -> Neighbourhoods:
    """Graph neighbours (node v reads u where A[v, u] > 0) and as many latent ones, by quadrant."""
    n = A.shape[0]
    linked = sp.csr_array(A.maximum(A.T))
    _, part = connected_components(linked, directed=False)
    inside = np.flatnonzero(part == np.bincount(part).argmax())
    position = np.zeros((n, 2))
    position[inside] = embed(sp.csr_array(linked[inside][:, inside]), embedding, landmarks, seed)
    position = apart(position, seed)
    near = nearest_pairs(position[inside], A.nnz, hyperbolic=embedding == "poincare")
    graph_pairs = np.stack([np.repeat(np.arange(n), np.diff(A.indptr)), A.indices]).astype(np.int64)
    pairs = np.concatenate([graph_pairs, inside[near]], axis=1)
    space = np.repeat([GRAPH, LATENT], [graph_pairs.shape[1], near.shape[1]])
    return Neighbourhoods.of(pairs, space, quadrants(position, pairs), n)


def apart(position: Positions, seed: int) -> Positions:
    """The same places, but no two alike: moved by far less than what tells places apart."""
    width = float(np.abs(position).max(initial=0.0)) or 1.0
    return position + HAIR * width * np.random.default_rng(seed).uniform(-1, 1, position.shape)


def quadrants(position: Positions, pairs: Pairs) -> NDArray[np.int64]:
    """In which of four quadrants u lies as seen from v [P]."""
    v, u = position[pairs[0]], position[pairs[1]]
    return np.asarray(2 * (v[:, 0] <= u[:, 0]) + (v[:, 1] <= u[:, 1]), dtype=np.int64)


def embed(A: sp.csr_array, embedding: Embedding, landmarks: int, seed: int) -> Positions:
    """Places the nodes of a connected undirected graph in the plane."""
    if A.shape[0] < 4:  # too few for two dimensions
        return np.zeros((A.shape[0], 2))
    if embedding == "isomap":
        return isomap(A, landmarks, seed)
    if embedding == "spectral":
        return spectral(A)
    if embedding == "structural":
        relations = structural_distances(A).relations()
        return spectral(sp.csr_array(sum(r + r.T for r in relations)))
    return poincare_disc(A, seed)


def isomap(A: sp.csr_array, landmarks: int, seed: int) -> Positions:
    """Kernel PCA of -½ d², d the steps between nodes: fitted on the landmarks, applied to all nodes.

    By numpy, because scikit-learn's asks for two eigenvectors alone, and of a star, whose eigenvalues are all equal,
    LAPACK may find none.
    """
    n = A.shape[0]
    chosen = np.sort(np.random.default_rng(seed).permutation(n)[:landmarks])
    steps = shortest_path(A, unweighted=True, directed=False, indices=chosen)  # [landmarks, n]
    kernel = -0.5 * steps.T**2  # [n, landmarks]
    mean = kernel[chosen].mean(axis=0)
    centred = kernel - kernel.mean(axis=1, keepdims=True) - mean + mean.mean()
    values, vectors = np.linalg.eigh(centred[chosen])
    values, vectors = values[[-1, -2]], vectors[:, [-1, -2]]
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), [0, 1]])  # of both signs always the same
    flat = values <= 1e-9 * max(values[0], 1.0)  # all nodes in a line, or in a point: the rest is zero
    return np.asarray(centred @ vectors * np.where(flat, 0.0, 1 / np.sqrt(np.where(flat, 1.0, values))))


def spectral(A: sp.csr_array) -> Positions:
    """The second and third eigenvector of D^-1/2 A D^-1/2, divided by D^1/2."""
    n = A.shape[0]
    root = np.sqrt(row_sums(A))
    lazy = sp.diags_array(1 / root) @ A.astype(np.float64) @ sp.diags_array(1 / root) + sp.eye_array(n)
    start = np.random.default_rng(0).standard_normal(n)
    values, vectors = eigsh(sp.csr_array(lazy), k=3, which="LA", v0=start, ncv=min(n, 64), tol=1e-6)
    order = np.argsort(-values)[1:]
    return np.asarray(vectors[:, order] / root[:, None])


def poincare_disc(A: sp.csr_array, seed: int) -> Positions:
    """A two-dimensional Poincaré embedding of the edges; positions lie in the unit disc."""
    try:
        poincare = import_module("gensim.models.poincare")  # an extra of the user's own: no dependency of ours
    except ImportError as error:
        raise InputError("embedding='poincare' needs gensim, which is not installed: pip install gensim") from error
    v, u = A.tocoo().coords
    model = poincare.PoincareModel([(str(a), str(b)) for a, b in zip(v, u, strict=True)], size=2, negative=2, seed=seed)
    model.train(epochs=50)
    return np.stack([model.kv[str(i)] for i in range(A.shape[0])]).astype(np.float64)


def nearest_pairs(position: Positions, count: int, hyperbolic: bool = False) -> Pairs:
    """About `count` pairs (v, u) closer than some ρ: the closest of all, so that both spaces have as many neighbours.

    Many nodes can share a place (leaves of one hub) and are near each other by chance alone (`apart`), so that no node
    gets more than `SPREAD` times its share.
    """
    n = len(position)
    k = min(n - 1, SPREAD * -(-count // max(n, 1)))
    if k < 1:
        return np.empty((2, 0), dtype=np.int64)
    distance, index = _nearest_in_disc(position, k + 1) if hyperbolic else cKDTree(position).query(position, k + 1)
    v = np.repeat(np.arange(n), k + 1)
    u, far = index.ravel(), distance.ravel()
    other = u != v
    v, u, far = v[other], u[other], far[other]
    closest = np.argsort(far, kind="stable")[:count]
    return np.stack([v[closest], u[closest]]).astype(np.int64)


def _nearest_in_disc(position: Positions, k: int) -> tuple[Positions, NDArray[np.int64]]:
    """Hyperbolic distances to the k nearest nodes, rows in blocks so that no n × n matrix is held."""
    slack = np.maximum(1 - (position**2).sum(axis=1), 1e-9)
    distances, indices = [], []
    for start in range(0, len(position), 256):
        rows = slice(start, start + 256)
        gap = ((position[rows, None] - position[None]) ** 2).sum(axis=-1)
        far = np.arccosh(1 + 2 * gap / (slack[rows, None] * slack))
        near = np.argsort(far, axis=1, kind="stable")[:, :k]
        distances.append(np.take_along_axis(far, near, axis=1))
        indices.append(near)
    return np.concatenate(distances), np.concatenate(indices)


def read_neighbourhoods(path: str | Path, n: int) -> Neighbourhoods:
    """Reads `outf_nodes_space_relation_<data>_<embedding>.txt` of the Geom-GCN repository.

    A header, then lines `node1,node2<TAB>space<TAB>relation` with space `graph` or `latent_space` and relation 0 to 3;
    messages go from node1 to node2.
    """
    path = Path(path).expanduser()
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot read the neighbourhood file {path} ({error.strerror}): check the path") from error
    rows = []
    for number, line in enumerate(lines, start=1):
        parts = re.split(r"[\t, ]+", line.strip())
        if parts[0] in ("", "node1"):
            continue
        if len(parts) != 4 or parts[2] not in SPACES or parts[3] not in "0123" or not (parts[0] + parts[1]).isdigit():
            raise InputError(
                f"{path.name}, line {number} is {line!r}: it must be node1,node2, graph or latent_space, and 0 to 3"
            )
        if max(int(parts[0]), int(parts[1])) >= n:
            raise InputError(
                f"{path.name}, line {number} names node {max(int(parts[0]), int(parts[1]))}, but the graph has nodes "
                f"0..{n - 1}: pass the file of this graph"
            )
        rows.append((int(parts[1]), int(parts[0]), SPACES[parts[2]], int(parts[3])))
    table = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Neighbourhoods.of(table[:2], table[2], table[3], n)
