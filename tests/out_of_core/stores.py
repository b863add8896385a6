"""Stores that tests share."""

from pathlib import Path
from typing import Any

import numpy as np

from lsgnn import Graph, LSGNNConfig
from lsgnn.graph.splits import stratified_splits
from lsgnn.out_of_core.manifest import Manifest
from lsgnn.out_of_core.store import Store


def empty_store(folder: Path, graph: Graph, memory: int, **settings: Any) -> Store:
    """A store without any array, whose tasks may allocate so many bytes."""
    config = LSGNNConfig(**settings)
    d = graph.num_features
    manifest = Manifest("test", graph.num_nodes, d, graph.class_names, config.to_dict(), [[0, d]], memory)
    return Store.create(folder, manifest)


def arrays_folder(folder: Path, graph: Graph) -> Path:
    """The graph as a folder of arrays, with masks, string ids and, if it has some, weights."""
    split = (graph.splits or stratified_splits(graph.y))[0]
    folder.mkdir()
    arrays = {"x": graph.x, "edge_index": graph.edge_index, "y": graph.y, "edge_weight": graph.edge_weight}
    arrays |= {"train_mask": split.train, "val_mask": split.val, "test_mask": split.test}
    arrays |= {"node_ids": np.array([f"n{i}" for i in range(graph.num_nodes)])}
    for name, values in arrays.items():
        if values is not None:
            np.save(folder / f"{name}.npy", values)
    return folder
