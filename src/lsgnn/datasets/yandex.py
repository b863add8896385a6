"""The cleaned graphs of Platonov et al. (ICLR 2023): one `.npz` per graph in the repository of Yandex Research.

PyG reads their five new graphs but not these: Cornell with its own features again, and Chameleon and Squirrel
without duplicate nodes. Layout: `node_features` [n, d], `node_labels` [n], `edges` [E, 2], `*_masks` [S, n].
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from lsgnn.datasets.download import fetch
from lsgnn.datasets.pyg import YANDEX
from lsgnn.datasets.registry import Entry
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.graph.splits import Splits


def load_yandex(entry: Entry, root: Path) -> Graph:
    """The dataset from its file in `root`, downloaded first if need be."""
    path = fetch(f"{YANDEX}/{entry.upstream}", root / entry.upstream, dataset=entry.name)
    return read_yandex(path, name=entry.name, directed="directed" in entry.upstream)


def read_yandex(path: Path, *, name: str, directed: bool) -> Graph:
    """Reads the layout above; files of undirected graphs list each pair once, so the other direction is added."""
    if not zipfile.is_zipfile(path):  # np.load leaves such a file open when it gives up
        raise InputError(f"{path} cannot be read as a .npz file: delete it and try again")
    try:
        with np.load(path, allow_pickle=False) as file:
            x, y, edges = file["node_features"], file["node_labels"], file["edges"].T
            masks = Splits(*(file[f"{part}_masks"].astype(bool) for part in ("train", "val", "test")))
    except KeyError as error:
        raise InputError(
            f"{path} has no array {error.args[0]}: it must be a graph file of yandex-research/heterophilous-graphs"
        ) from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be read as a .npz file ({error}): delete it and try again") from None
    if not directed:
        edges = np.unique(np.concatenate([edges, edges[::-1]], axis=1), axis=1)
    return Graph(x=sparse_if_mostly_zero(x), edge_index=edges, y=y, splits=masks, name=name)
