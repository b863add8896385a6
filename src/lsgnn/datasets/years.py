"""arxiv-2023 by year: the papers of arxiv-2023 with the fifth of the years in which each appeared as its class.

As arxiv-year is to ogbn-arxiv. The years come in the same file under the key `year` (-1: unknown, hence no class); the
splits are those of LSGNN's released code for arxiv-year, five stratified 50/25/25 divisions.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lsgnn.datasets.ogb import quantile_classes
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import authors_splits


def load_by_year(path: Path) -> Graph:
    """The graph in an .npz file, its classes replaced by fifths of its key `year`."""
    graph = Graph.load(path)
    with np.load(path, allow_pickle=False) as arrays:
        if "year" not in arrays:
            raise InputError(f"{path} has no key 'year': take the file of arxiv-2023 that comes with the years")
        year: NDArray[np.int64] = arrays["year"].astype(np.int64)
    if year.shape != (graph.num_nodes,):
        raise InputError(f"'year' in {path} has shape {year.shape}, but the graph has {graph.num_nodes} nodes")
    y = np.full(len(year), -1, dtype=np.int64)
    y[year >= 0] = quantile_classes(year[year >= 0])
    class_names = tuple(f"{years.min()} to {years.max()}" for c in range(5) if len(years := year[y == c]))
    _, y[y >= 0] = np.unique(y[y >= 0], return_inverse=True)  # a fifth may be empty: years are whole numbers
    return Graph(
        x=graph.x,
        edge_index=graph.edge_index,
        y=y,
        node_ids=graph.node_ids,
        class_names=class_names,
        splits=authors_splits(y, num_splits=5, train=0.5, val=0.25),
        name=graph.name,
    )
