"""`as_graph`: whatever people have at hand → `Graph`. It stands at the door of every public function."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsgnn.datasets.open_path import TABLE_SUFFIXES, open_path
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.build import is_instance
from lsgnn.graph.io.networkx_graph import from_networkx
from lsgnn.graph.io.pyg import from_pyg
from lsgnn.graph.paths import expanded, is_file, is_folder


def as_graph(source: Any) -> Graph:
    """A `Graph` from what people have at hand.

    Args:
        source: a `Graph`, a PyG `Data`, a networkx graph, the name of a dataset, or the path of a file or folder:
            `.npz` (ours, Yandex's, that of the benchmark collections), `.mat` of Facebook100, GraphML, an edge list, a
            folder of OGB's raw files, or one with an edge table and a node table.
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, str | Path):
        return _by_path_or_name(source)
    if is_instance(source, "torch_geometric.data", "Data"):
        return from_pyg(source)
    if is_instance(source, "networkx", "Graph"):
        return from_networkx(source)
    hint = "dataset[0] of a PyG dataset, " if is_instance(source, "torch_geometric.data", "Dataset") else ""
    raise InputError(
        f"cannot make a graph of a {type(source).__name__}: pass {hint}a lsgnn.Graph, a PyG Data, a networkx graph, "
        "the path of a .npz file or a dataset name; for tables there is lsgnn.read_tables, "
        "for scipy lsgnn.from_scipy"
    )


def _by_path_or_name(source: str | Path) -> Graph:
    from lsgnn.datasets.registry import names

    path = expanded(source)
    if isinstance(source, str) and source in names():
        return _by_name(source)
    is_table = path.name.lower().endswith(TABLE_SUFFIXES)
    if path.suffix == ".npz" or is_table or is_file(path) or is_folder(path) or isinstance(source, Path):
        return open_path(path)
    return _by_name(source)


def _by_name(name: str) -> Graph:
    from lsgnn.datasets import load

    return load(name)
