"""New nodes and the known neighbours they are attached to: all that is local about it, whatever else is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.new_nodes import any_sparse
from lsgnn.nn.rows import Neighbours
from lsgnn.propagate.filters import adjacency, row_sums
from lsgnn.propagate.similarity import NeighbourSimilarity, edge_similarity

FEW_VALUES = 1 << 20


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What new nodes read of their p known neighbours, apart from hop representations.

    Args:
        x: scaled features [p, d].
        degree: row sums of A in the known graph [p].
    """

    x: Features
    degree: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Attachment:
    """m new nodes, ready to read their neighbours.

    Args:
        adj: Â [m, p+m], what each new node reads: the known neighbours first, then the new nodes.
        degree: row sums of A of the new nodes [m].
        neighbours: their similarities to their neighbours.
    """

    adj: sp.csr_array
    degree: NDArray[np.float64]
    neighbours: Neighbours


def attach(
    known: Surroundings,
    x: Features,
    edge_index: NDArray[np.int64],
    edge_weight: NDArray[np.float32] | None,
    config: LSGNNConfig,
) -> Attachment:
    """Attaches m nodes with scaled features x [m, d] by edges in which the known neighbours are 0 … p-1."""
    p, m = len(known.degree), x.shape[0]
    local = Graph(x=np.ones((p + m, 1), np.float32), edge_index=edge_index, edge_weight=edge_weight)
    A = sp.csr_array(adjacency(local, config.read_direction)[p:])
    neighbours = _neighbours(local, _joined(known.x, x), A, config)
    degree = row_sums(A)
    D = np.concatenate([known.degree, degree])
    if config.filter == "self_loop":
        A = sp.csr_array(A + sp.eye_array(m, p + m, k=p, dtype=np.float32))
    if config.filter == "self_loop" or config.degree == "with_self_loop":
        D = D + 1.0
    scale = np.divide(1.0, np.sqrt(D), out=np.zeros_like(D), where=D > 0)
    rows = np.repeat(np.arange(m), np.diff(A.indptr))
    A_hat = sp.csr_array((A.data * scale[p + rows] * scale[A.indices], A.indices, A.indptr), shape=A.shape)
    return Attachment(A_hat, degree, neighbours)


def _neighbours(local: Graph, x: Features, A: sp.csr_array, config: LSGNNConfig) -> Neighbours:
    """Similarities of the new nodes to their neighbours; they depend on nothing but features."""
    p, read, loops = A.shape[1] - A.shape[0], A, config.localsim_self_loops
    if loops or config.similarity_direction != config.read_direction:
        read = sp.csr_array(adjacency(local, config.similarity_direction, self_loops=loops)[p:])
    ego = p + np.repeat(np.arange(read.shape[0]), np.diff(read.indptr))
    pairs = np.stack([ego, read.indices])
    similarity = edge_similarity(x, pairs, config.similarity, config.euclid_sign)
    return Neighbours.of(NeighbourSimilarity.of(read, similarity))


def _joined(known: Any, new: Any) -> Features:
    """Features of known neighbours and of new nodes; a few rows are quicker to compare if they are dense."""
    parts = [known, new] if known.shape[0] else [new]
    if not any_sparse(*parts):
        return np.concatenate(parts)
    if sum(part.shape[0] for part in parts) * new.shape[1] <= FEW_VALUES:
        return np.concatenate([part.toarray() if sp.issparse(part) else part for part in parts])
    return sp.vstack([sp.csr_array(part) for part in parts], format="csr")
