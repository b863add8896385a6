r"""New nodes attached to a known graph: from their features and edges to the rows that the model reads.

The local way leaves the known nodes as they are. A new node v reads the hop representations :math:`P_s = \hat A^s X`
that its neighbours have in the known graph,

.. math::
    P_{s+1}[v] = \sum_{j \in N_v} \hat A_{vj} P_s[j], \qquad \hat A_{vj} = a_{vj} / \sqrt{D_v D_j},

with the known degrees :math:`D_j`; nothing but the surroundings of v is touched. It is exact as long as no known node
reads a new one (direction "out" and edges from new nodes only, "in" and edges to new nodes only). Otherwise it ignores
that v changes the degrees and representations of its neighbours, and that a walk may come back to v. The exact way
(`lsgnn.graph.new_nodes.enlarged`) propagates over the enlarged graph from the start. The local way pays for a few
nodes; for a large batch on a small graph its many short walks cost more than one pass over everything (Cora, CPU time:
7 against 17 ms for one node, 53 against 19 ms for a hundred).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.new_nodes import NewNodes, any_sparse, weight_of
from lsgnn.memory import require_memory
from lsgnn.nn.rows import DenseChannels, Neighbours, Rows
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.filters import adjacency, row_sums
from lsgnn.propagate.precompute import Precomputed, mixing
from lsgnn.propagate.similarity import NeighbourSimilarity, edge_similarity

MAX_REACHED = 50_000_000  # (neighbour, reached node) pairs held at once while walking from the neighbours


def attached_rows(graph: Graph, pre: Precomputed, new: NewNodes, config: LSGNNConfig) -> Rows:
    """Model inputs of the new nodes, known nodes left as they are."""
    n, m = graph.num_nodes, new.x.shape[0]
    near = np.unique(new.edge_index[new.edge_index < n])  # the known neighbours: all that is read of the graph
    p = len(near)
    local = _local_graph(graph, new, near)
    x = normalize_features(local.x, config.feature_norm, pre.columns)
    A = sp.csr_array(adjacency(local, config.direction)[p:])  # [m, p+m]
    require_memory(
        8 * (config.K * p + (4 * config.K + 2) * m) * x.shape[1],
        f"attaching {m} nodes with {p} known neighbours",
        "attach fewer at a time, or let all nodes be computed anew (exact)",
    )
    D = np.concatenate([row_sums(adjacency(graph, config.direction))[near], row_sums(A)])
    if config.filter == "self_loop":
        A = sp.csr_array(A + sp.eye_array(m, p + m, k=p, dtype=np.float32))
    if config.filter == "self_loop" or config.degree == "with_self_loop":
        D += 1.0
    scale = np.divide(1.0, np.sqrt(D), out=np.zeros_like(D), where=D > 0)
    A_hat = sp.csr_array(sp.diags_array(scale[p:]) @ A.astype(np.float64) @ sp.diags_array(scale))
    known = powers_at(pre, near, config.K - 1)  # [K, p, d]
    powers = [_dense(x[p:]).astype(np.float64)]
    for s in range(config.K):
        powers.append(A_hat @ np.concatenate([known[s], powers[s]]))
    hops = np.einsum("cks,smd->ckmd", mixing(config), np.stack(powers)).reshape(2 * config.K, m, -1)
    stack = np.concatenate([powers[0][None], hops]).astype(np.float32)
    links = None if pre.links is None else SparseMatrix.of(links_of_new(pre, new))
    return Rows(DenseChannels(torch.from_numpy(stack)), _neighbours(local, x, p, config), links)


def links_of_new(pre: Precomputed, new: NewNodes) -> sp.csr_array:
    """The new nodes' own rows of the adjacency matrix, over known nodes alone [m, n]: of others nothing was learned."""
    n, total = pre.num_nodes, pre.num_nodes + len(new.node_ids)
    A = sp.csr_array((weight_of(new), tuple(new.edge_index)), shape=(total, total))
    if pre.linked_both_ways:
        A = sp.csr_array(A.maximum(A.T))
    return sp.csr_array(A[n:, :n])


def powers_at(pre: Precomputed, nodes: NDArray[np.int64], K: int) -> NDArray[np.float64]:
    """Â^s X at some nodes, s = 0 … K [K+1, b, d], by walking from these nodes rather than over the whole graph."""
    d = pre.x.shape[1]
    out = np.zeros((K + 1, len(nodes), d))
    step = max(1, MAX_REACHED // pre.num_nodes)
    for start in range(0, len(nodes), step):
        block = slice(start, min(start + step, len(nodes)))
        out[0, block] = _dense(pre.x[nodes[block]])
        reach = sp.csr_array(pre.adj[nodes[block]]).astype(np.float64)
        for s in range(1, K + 1):
            out[s, block] = _dense(reach @ pre.x)
            if s < K:
                reach = reach @ pre.adj
    return out


def _local_graph(graph: Graph, new: NewNodes, near: NDArray[np.int64]) -> Graph:
    """The new nodes (last) and their known neighbours (first), with the new edges alone."""
    n, p = graph.num_nodes, len(near)
    is_new = new.edge_index >= n
    edges = np.where(is_new, new.edge_index - n + p, np.searchsorted(near, np.where(is_new, 0, new.edge_index)))
    weight = None if graph.edge_weight is None and new.edge_weight is None else weight_of(new)
    sparse = any_sparse(graph.x, new.x)
    parts = [graph.x[near], new.x] if p else [new.x]
    x = sp.vstack([sp.csr_array(part) for part in parts], format="csr") if sparse else np.concatenate(parts)
    return Graph(x=x, edge_index=edges, edge_weight=weight, name=graph.name)


def _neighbours(local: Graph, x: Features, p: int, config: LSGNNConfig) -> Neighbours:
    """Similarities of the new nodes to their neighbours; they depend on nothing but features."""
    read = sp.csr_array(adjacency(local, config.similarity_direction, self_loops=config.localsim_self_loops)[p:])
    ego = p + np.repeat(np.arange(read.shape[0]), np.diff(read.indptr))
    pairs = np.stack([ego, read.indices])
    similarity = edge_similarity(x, pairs, config.similarity, config.euclid_sign)
    return Neighbours.of(NeighbourSimilarity.of(read, similarity))


def _dense(matrix: Any) -> NDArray[Any]:
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix)
