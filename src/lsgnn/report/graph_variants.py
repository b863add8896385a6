"""What probes compare a graph with: its labelled nodes as a table, with and without degrees; itself without edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.config import FeatureNorm
from lsgnn.graph.degree_features import degree_features
from lsgnn.graph.graph import Graph
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.graph.splits import Split
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.feature_norm import normalize_features


def labelled_table(graph: Graph, norm: FeatureNorm, degrees: bool = False) -> Graph:
    """The labelled nodes without edges, for a model that reads none: quick where few nodes are labelled.

    Features are scaled over all nodes, as `norm` says, and to be read with feature_norm="none". Degrees are two more
    columns, standardised logarithms. The others are the same with and without them, so that only degrees can differ.
    """
    x = normalize_features(sparse_if_mostly_zero(graph.x), norm)
    if degrees:
        logs = degree_features(graph.edge_index, graph.num_nodes)
        standard = np.asarray(ColumnScale.of(logs).apply(logs), dtype=np.float32)
        x = sp.csr_array(sp.hstack([x, standard])) if sp.issparse(x) else np.hstack([x, standard])
    rows = np.flatnonzero(graph.labelled)
    return Graph(x=x[rows], edge_index=_no_edges(), y=graph.y[rows], class_names=graph.class_names, name=graph.name)


def labelled_rows(graph: Graph, split: Split) -> Split:
    """A split of the graph as one of its `labelled_table`."""
    rows = np.flatnonzero(graph.labelled)
    return Split(split.train[rows], split.val[rows], split.test[rows])


def without_edges(graph: Graph) -> Graph:
    return replace(graph, edge_index=_no_edges(), edge_weight=None)


def _no_edges() -> NDArray[np.int64]:
    return np.zeros((2, 0), dtype=np.int64)
