"""`as_graph`: whatever people have at hand → `Graph`. It stands at the door of every public function."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.build import is_instance
from lsgnn.graph.io.networkx_graph import from_networkx
from lsgnn.graph.io.npz import load_npz
from lsgnn.graph.io.pyg import from_pyg
from lsgnn.graph.paths import expanded, is_file, shortened

TABLE_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")


def as_graph(source: Any) -> Graph:
    """A `Graph` from what people have at hand.

    Args:
        source: a `Graph`, a PyG `Data`, a networkx graph, the path of a `.npz` file, or the name of a dataset.
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
    path = expanded(source)
    if path.name.lower().endswith(TABLE_SUFFIXES):
        raise InputError(f"{shortened(path)} is a table: read it with lsgnn.read_tables(edges, nodes)")
    if path.suffix == ".npz" or is_file(path) or isinstance(source, Path):
        return load_npz(path)
    from lsgnn.datasets import load

    return load(source)
