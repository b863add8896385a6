"""Cora, Citeseer and Pubmed from Planetoid's eight files `ind.NAME.*`, as PyG's `Planetoid` reads them.

`allx` and `ally` hold the features and one-hot classes of the first nodes, `tx` and `ty` those of the others, in the
order of `test.index`, which in Citeseer leaves out 15 nodes: they get no features and class 0. `graph` lists the
neighbours of each node, some twice, some the node itself; each link is kept once, loops are not. `x` and `y` repeat
the first rows of `allx` and `ally`, and nothing reads them.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.datasets.geom_gcn import read_splits
from lsgnn.datasets.pickles import load_pickle
from lsgnn.datasets.registry import Entry
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph

PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")


def read_planetoid(folder: Path, entry: Entry) -> Graph:
    """The graph in Planetoid's files, with the ten splits of Geom-GCN that lie beside them."""
    files = {part: folder / f"ind.{entry.upstream}.{part}" for part in PARTS}
    allx, tx = _table(files["allx"], sparse=True), _table(files["tx"], sparse=True)
    ally, ty = _table(files["ally"], sparse=False), _table(files["ty"], sparse=False)
    late = _late_nodes(files["test.index"], len(ally), entry.nodes)
    if (allx.shape[0], tx.shape[0], len(ty)) != (len(ally), len(late), len(late)) or allx.shape[1] != tx.shape[1]:
        raise InputError(f"the ind.* files of {entry.name!r} in {folder} do not fit each other: get them again")
    y = np.zeros(entry.nodes, dtype=np.int64)
    y[: len(ally)], y[late] = ally.argmax(axis=1), ty.argmax(axis=1)
    rows = np.full(entry.nodes, len(ally) + len(late))  # an empty row, for nodes that are left out
    rows[: len(ally)], rows[late] = np.arange(len(ally)), len(ally) + np.arange(len(late))
    x = sp.csr_array(sp.vstack([allx, tx, sp.csr_array((1, allx.shape[1]), dtype=allx.dtype)]))[rows]
    return Graph(
        x=x, edge_index=_links(files["graph"]), y=y, splits=read_splits(folder, entry.upstream), name=entry.name
    )


def _table(path: Path, *, sparse: bool) -> Any:
    table = load_pickle(path)
    if sp.issparse(table) is not sparse or isinstance(table, dict) or len(table.shape) != 2 or not table.shape[1]:
        raise InputError(f"{path} holds no {'CSR matrix' if sparse else 'table of numbers'}: delete it and try again")
    return table


def _late_nodes(path: Path, first: int, nodes: int) -> NDArray[np.int64]:
    """The numbers of the nodes of `tx` and `ty`, one per line: distinct, the lowest right after those of `allx`."""
    try:
        late = np.array([int(line) for line in path.read_text("ascii").split()], dtype=np.int64)
    except (ValueError, OverflowError):
        raise InputError(f"{path} holds more than node numbers: delete it and try again") from None
    if not late.size or late.min() != first or late.max() != nodes - 1 or len(np.unique(late)) < len(late):
        raise InputError(f"{path} must list nodes from {first} to {nodes - 1}, each at most once: get it again")
    return late


def _links(path: Path) -> NDArray[np.int64]:
    neighbours = load_pickle(path)
    if not isinstance(neighbours, dict):
        raise InputError(f"{path} holds no dict of neighbours: delete it and try again")
    degrees = np.array([len(others) for others in neighbours.values()], dtype=np.int64)
    source = np.repeat(np.array(list(neighbours), dtype=np.int64), degrees)
    links = np.stack([source, np.fromiter(chain.from_iterable(neighbours.values()), np.int64, len(source))])
    return np.unique(links[:, source != links[1]], axis=1)
