"""Graphs in the layout of Pei et al. (ICLR 2020, Geom-GCN): two text tables and ten files of masks.

`out1_node_feature_label.txt` has a line "node, features, class" per node, `out1_graph_edges.txt` a line "source,
target" per link; columns are split by tabs, a first line names them. Features are a row of numbers; in Actor (there
called film) they are the numbers of the words that a page holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.datasets.npz_arrays import read_arrays
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.graph.splits import Splits

TABLES = ("out1_node_feature_label.txt", "out1_graph_edges.txt")
NUM_SPLITS = 10


def read_geom_gcn(folder: Path, upstream: str, *, name: str, words: bool) -> Graph:
    """The graph whose files are in `folder`; with `words`, features are lists of words (Actor)."""
    nodes, links = folder / TABLES[0], folder / TABLES[1]
    lines = [line.split("\t") for line in _lines(nodes)]
    if any(len(line) != 3 for line in lines):
        raise InputError(f"{nodes} must have three columns (node, features, class) in every line: get it again")
    y = _numbers([label for _, _, label in lines], np.int64, nodes)[:, 0]
    if words:
        order = _numbers([node for node, _, _ in lines], np.int64, nodes)[:, 0]
        if not np.array_equal(np.sort(order), np.arange(len(order))):
            raise InputError(f"{nodes} must hold the nodes 0 to {len(order) - 1}, each once: get it again")
        back = np.argsort(order)
        x: Any = _bags([lines[i][1] for i in back], nodes)
        y = y[back]
    else:
        x = sparse_if_mostly_zero(_numbers([features for _, features, _ in lines], np.float32, nodes, ","))
    edges = np.unique(_numbers(_lines(links), np.int64, links, "\t"), axis=0).T
    return Graph(x=x, edge_index=edges, y=y, splits=read_splits(folder, upstream), name=name)


def split_files(upstream: str) -> list[str]:
    """The names of the files of masks."""
    return [f"{upstream}_split_0.6_0.2_{s}.npz" for s in range(NUM_SPLITS)]


def read_splits(folder: Path, upstream: str) -> Splits:
    """Geom-GCN's ten divisions of the nodes into 48 % training, 32 % validation and 20 % test nodes."""
    keys = ("train_mask", "val_mask", "test_mask")
    masks = [read_arrays(folder / file, keys, "graphdml-uiuc-jlu/geom-gcn") for file in split_files(upstream)]
    if len({mask.shape for split in masks for mask in split}) > 1:
        raise InputError(f"the masks of {upstream} in {folder} differ in length: delete them and try again")
    return Splits(*(np.stack([split[part] for split in masks]).astype(bool) for part in range(3)))


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not text: delete it and try again") from None
    if len(lines) < 3:
        raise InputError(f"{path} must have a line of names and a line per row: delete it and try again")
    return lines[1:-1]


def _numbers(lines: list[str], dtype: type, path: Path, delimiter: str | None = None) -> NDArray[Any]:
    """A table of numbers, one row per line, every row as long as the first."""
    if not all(map(str.strip, lines)):
        raise InputError(f"{path} has an empty line or column: delete it and try again")
    try:
        return np.loadtxt(lines, dtype=dtype, delimiter=delimiter, comments=None, ndmin=2)
    except (ValueError, OverflowError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"{path} holds something else than numbers ({reason}): delete it and try again") from None


def _bags(lists: list[str], path: Path) -> sp.csr_array:
    """Which words each page holds, as a table of ones [n, words]."""
    counts = [line.count(",") + 1 for line in lists]
    words = _numbers([",".join(lists)], np.int64, path, ",")[0]
    if words.min() < 0:
        raise InputError(f"{path} holds the word number {words.min()}: numbers start at 0, so get it again")
    bags = sp.csr_array((np.ones(len(words), dtype=np.float32), words, np.append(0, np.cumsum(counts))))
    bags.sum_duplicates()
    bags.data[:] = 1
    return bags
