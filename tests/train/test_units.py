"""Cached units: everything that decides a score is in the name of its file."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph, LSGNNConfig
from lsgnn.benchmark.units import UnitStore, digest_of_graph
from lsgnn.graph.splits import Split

GRAPH = Graph(x=np.eye(3), edge_index=[[0, 1], [1, 2]], edge_weight=[1.0, 2.0], y=[0, 1, 0])
SPLIT = Split(*np.eye(3, dtype=bool))


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


def test_a_unit_is_named_after_data_split_model_settings_and_metric(tmp_path: Path) -> None:
    store, config = UnitStore(tmp_path, GRAPH), LSGNNConfig()
    weighted_otherwise = UnitStore(tmp_path, replace(GRAPH, edge_weight=[2.0, 2.0]))
    other_splits = [Split(*np.eye(3, dtype=bool)[order]) for order in ([1, 0, 2], [0, 2, 1])]
    paths = [
        store.path("lsgnn", 0, SPLIT, config, "accuracy"),
        store.path("gcn", 0, SPLIT, config, "accuracy"),
        store.path("lsgnn", 1, SPLIT, config, "accuracy"),
        store.path("lsgnn", 0, SPLIT, config.replace(seed=1), "accuracy"),
        store.path("lsgnn", 0, SPLIT, config, "macro_f1"),
        weighted_otherwise.path("lsgnn", 0, SPLIT, config, "accuracy"),
        *(store.path("lsgnn", 0, split, config, "accuracy") for split in other_splits),
    ]
    assert len(set(paths)) == len(paths)
    assert UnitStore(None, GRAPH).path("lsgnn", 0, SPLIT, config, "accuracy") is None
