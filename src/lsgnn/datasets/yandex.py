"""The graphs of Platonov et al. (ICLR 2023): one `.npz` per graph in the repository of Yandex Research.

Their five new graphs, and older ones cleaned: Cornell with its own features again, Chameleon and Squirrel without
duplicate nodes. Layout: `node_features` [n, d], `node_labels` [n], `edges` [E, 2], `*_masks` [S, n].
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.datasets.npz_arrays import read_arrays
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.graph.splits import Splits

KEYS = ("node_features", "node_labels", "edges", "train_masks", "val_masks", "test_masks")


def read_yandex(path: Path, *, name: str, directed: bool) -> Graph:
    """Reads the layout above; files of undirected graphs list each pair once, so the other direction is added."""
    return graph_of_arrays(
        read_arrays(path, KEYS, "yandex-research/heterophilous-graphs"), name=name, directed=directed
    )


def graph_of_arrays(arrays: Sequence[NDArray[Any]], *, name: str, directed: bool) -> Graph:
    """The same of arrays in the order of `KEYS`."""
    x, y, pairs, *masks = arrays
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InputError(f"edges has shape {pairs.shape}, but edges are pairs [E, 2]: get the file again")
    edges = pairs.T
    if not directed:
        edges = np.unique(np.concatenate([edges, edges[::-1]], axis=1), axis=1)
    splits = Splits(*(mask.astype(bool) for mask in masks))
    return Graph(x=sparse_if_mostly_zero(x), edge_index=edges, y=y, splits=splits, name=name)
