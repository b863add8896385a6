"""A graph's digest: whatever can change a result changes it."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph
from lsgnn.graph.digest import digest_of_graph

GRAPH = Graph(x=np.eye(3), edge_index=[[0, 1], [1, 2]], edge_weight=[1.0, 2.0], y=[0, 1, 0])


@pytest.mark.parametrize(
    "change",
    [
        {"x": np.eye(3) * [1, 1, 2]},
        {"x": np.eye(3)[:, :2]},
        {"x": sp.csr_array(np.eye(3))},
        {"edge_index": [[0, 1], [2, 2]]},
        {"y": [0, 1, 1]},
        {"edge_weight": [1.0, 2.5]},
        {"edge_weight": [2.0, 1.0]},
        {"edge_weight": None},
    ],
)
def test_another_graph_has_another_digest(change: dict) -> None:
    assert digest_of_graph(replace(GRAPH)) == digest_of_graph(GRAPH)
    assert digest_of_graph(replace(GRAPH, **change)) != digest_of_graph(GRAPH)


@pytest.mark.parametrize(
    "change",
    [[[1, 0, 0], [0, 2, 0], [0, 0, 1]], [[0, 1, 0], [1, 0, 0], [0, 0, 1]], [[1, 1, 0], [0, 0, 1], [0, 0, 0]]],
)
def test_sparse_features_differ_in_value_column_and_row(change: list[list[int]]) -> None:
    sparse = replace(GRAPH, x=sp.csr_array(np.eye(3)))
    assert digest_of_graph(replace(GRAPH, x=sp.csr_array(change))) != digest_of_graph(sparse)
