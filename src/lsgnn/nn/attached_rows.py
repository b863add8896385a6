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
from lsgnn.graph.graph import Graph
from lsgnn.graph.new_nodes import NewNodes, weight_of
from lsgnn.memory import require_memory
from lsgnn.nn.attachment import Surroundings, attach
from lsgnn.nn.rows import DenseChannels, Rows
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.filters import adjacency, row_sums
from lsgnn.propagate.precompute import Precomputed, mixing

MAX_REACHED = 50_000_000  # (neighbour, reached node) pairs held at once while walking from the neighbours


def attached_rows(graph: Graph, pre: Precomputed, new: NewNodes, config: LSGNNConfig) -> Rows:
    """Model inputs of the new nodes, known nodes left as they are."""
    n, m = graph.num_nodes, new.x.shape[0]
    near = np.unique(new.edge_index[new.edge_index < n])  # the known neighbours: all that is read of the graph
    p = len(near)
    require_memory(
        8 * (config.K * p + (4 * config.K + 2) * m) * new.x.shape[1],
        f"attaching {m} nodes with {p} known neighbours",
        "attach fewer at a time, or let all nodes be computed anew (exact)",
    )
    known = Surroundings(pre.x[near], row_sums(adjacency(graph, config.read_direction))[near])
    x = normalize_features(new.x, config.feature_norm, pre.columns)
    weight = None if graph.edge_weight is None and new.edge_weight is None else weight_of(new)
    attachment = attach(known, x, local_edges(new.edge_index, near, n), weight, config)
    before = powers_at(pre, near, config.K - 1)  # [K, p, d]
    powers = [_dense(x).astype(np.float64)]
    for s in range(config.K):
        powers.append(attachment.adj @ np.concatenate([before[s], powers[s]]))
    hops = np.einsum("cks,smd->ckmd", mixing(config), np.stack(powers)).reshape(2 * config.K, m, -1)
    stack = np.concatenate([powers[0][None], hops]).astype(np.float32)
    links = None if pre.links is None else SparseMatrix.of(links_of_new(pre, new, n))
    return Rows(DenseChannels(torch.from_numpy(stack)), attachment.neighbours, links)


def links_of_new(pre: Precomputed, new: NewNodes, first: int) -> sp.csr_array:
    """The new nodes' own rows of the adjacency matrix, over the n nodes trained on [m, n]: only of these was anything
    learned. New nodes are numbered from `first` on."""
    total = first + len(new.node_ids)
    A = sp.csr_array((weight_of(new), tuple(new.edge_index)), shape=(total, total))
    if pre.linked_both_ways:
        A = sp.csr_array(A.maximum(A.T))
    return sp.csr_array(A[first:, : pre.num_nodes])


def local_edges(edge_index: NDArray[np.int64], near: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The same edges with the known neighbours `near` [p] numbered 0 … p-1 and the new nodes from p on."""
    is_new = edge_index >= n
    return np.where(is_new, edge_index - n + len(near), np.searchsorted(near, np.where(is_new, 0, edge_index)))


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


def _dense(matrix: Any) -> NDArray[Any]:
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix)
