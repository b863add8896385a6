"""The graphs of Platonov et al. (ICLR 2023): one `.npz` per graph in the repository of Yandex Research.

Their five new graphs, and older ones cleaned: Cornell with its own features again, Chameleon and Squirrel without
duplicate nodes. Layout: `node_features` [n, d], `node_labels` [n], `edges` [E, 2], `*_masks` [S, n].
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lsgnn.datasets.npz_arrays import read_arrays
from lsgnn.graph.graph import Graph
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.graph.splits import Splits

KEYS = ("node_features", "node_labels", "edges", "train_masks", "val_masks", "test_masks")


def read_yandex(path: Path, *, name: str, directed: bool) -> Graph:
    """Reads the layout above; files of undirected graphs list each pair once, so the other direction is added."""
    x, y, pairs, *masks = read_arrays(path, KEYS, "yandex-research/heterophilous-graphs")
    edges = pairs.T
    if not directed:
        edges = np.unique(np.concatenate([edges, edges[::-1]], axis=1), axis=1)
    splits = Splits(*(mask.astype(bool) for mask in masks))
    return Graph(x=sparse_if_mostly_zero(x), edge_index=edges, y=y, splits=splits, name=name)
