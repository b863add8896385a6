"""Numbers too large to be trained on in float32: named where they enter, for neither the learning rate nor luck is to
blame for what they do.

They are errors of the kind of a diverged training, because other settings may well do: a search goes on without them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.errors import TrainingDiverged
from lsgnn.graph.graph import Features, Graph
from lsgnn.propagate.similarity import NeighbourSimilarity

LARGEST = 1e18  # the squares of some hundred such numbers still have a sum in float32
FURTHEST = 1e9  # LocalSim squares it, and the optimiser squares that


def require_moderate_features(x: Features, graph: Graph, feature_norm: str) -> None:
    """Raises where scaled features x [n, d] of a graph are beyond training."""
    if (size := _size(x)) <= LARGEST:
        return
    place = int(np.abs(_values(x)).argmax())
    row, column = _cell(x, place) if sp.issparse(x) else divmod(place, x.shape[1])
    name = repr(graph.feature_names[column]) if graph.feature_names else str(column)
    fix = "set feature_norm to l2 or standard, or " if feature_norm == "none" else ""
    raise TrainingDiverged(
        f"node {_id(graph, row)} has {graph.x[row, column]:.3g} in feature {name}, which makes {size:.3g} with "
        f"feature_norm={feature_norm!r}, but a training takes up to {LARGEST:g}: {fix}divide that column by a constant"
    )


def require_moderate_filter(adj: sp.csr_array, x: Features, graph: Graph, K: int) -> None:
    """Raises where K steps of Â [n, n] make features x [n, d] too large, as weights of a directed graph can."""
    if not adj.nnz or adj.data.max() <= 1:
        return
    reached, exact = np.full(graph.num_nodes, max(_size(x), 1.0)), adj.astype(np.float64)
    for _ in range(K):
        reached = exact @ reached
        if not reached.max() <= LARGEST:
            reader, read = _cell(adj, int(adj.data.argmax()))
            raise TrainingDiverged(
                f"node {_id(graph, reader)} reads node {_id(graph, read)} {adj.data.max():.3g} times, as its own edges "
                f"are so much heavier, and {K} steps take features beyond the {LARGEST:g} that can be trained on: "
                "set direction to undirected, or bring the weights closer together (by their logarithm, say)"
            )


def require_moderate_weights(graph: Graph, reader: str) -> None:
    """Raises where weights of edges are beyond training; for `reader`, a model or a part of one that takes them raw."""
    weight = graph.edge_weight
    if weight is None or _size(weight) <= LARGEST:
        return
    source, target = (_id(graph, int(end)) for end in graph.edge_index[:, weight.argmax()])
    raise TrainingDiverged(
        f"the edge {source} → {target} has weight {weight.max():.3g}, but {reader} reads weights as they are, up to "
        f"{LARGEST:g}: divide all weights by a constant, or do without {reader}"
    )


def require_moderate_similarity(similarity: NeighbourSimilarity, config: LSGNNConfig) -> None:
    """Raises where neighbours are further apart than LocalSim can learn from."""
    if not config.weights.startswith("localsim") or _size(similarity.values) <= FURTHEST:
        return
    furthest = int(np.abs(similarity.values).argmax())
    node = int(similarity.share.tocsc()[:, [furthest]].indices[0])
    fix = "set feature_norm to l2 or standard, or similarity to cosine"
    raise TrainingDiverged(
        f"node number {node} is {_size(similarity.values):.3g} away from a neighbour by "
        f"similarity={config.similarity!r} with feature_norm={config.feature_norm!r}, but LocalSim takes up to "
        f"{FURTHEST:g}: {fix}"
    )


def _values(matrix: Any) -> NDArray[np.float32]:
    return np.asarray(matrix.data if sp.issparse(matrix) else matrix)


def _size(matrix: Any) -> float:
    """The largest absolute value."""
    values = _values(matrix)
    return float(max(values.max(), -values.min())) if values.size else 0.0


def _cell(matrix: Any, place: int) -> tuple[int, int]:
    """Row and column of the stored value at that place of a CSR matrix."""
    return int(np.searchsorted(matrix.indptr, place, "right") - 1), int(matrix.indices[place])


def _id(graph: Graph, node: int) -> str:
    return repr(graph.node_ids[node].item())
