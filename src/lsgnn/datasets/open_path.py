"""A file or a folder → `Graph`: publishers' files open as they are, told apart by their endings and their contents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.npz import load_npz
from lsgnn.graph.io.npz_arrays import array_names, read_arrays
from lsgnn.graph.paths import existing_file, expanded, is_folder, shortened

TABLE_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")


def open_path(given: str | Path, name: str | None = None) -> Graph:
    """The graph of a file (`.npz` of ours, of Yandex or of the benchmark collections, `.mat` of Facebook100, GraphML,
    edge list) or of a folder (OGB's raw files, or an edge and a node table)."""
    path = expanded(given)
    graph = _of_folder(path) if is_folder(path) else _of_file(path)
    return graph if name is None else replace(graph, name=name)


def _of_folder(folder: Path) -> Graph:
    from lsgnn.graph.io.ogb_folder import is_ogb_folder, load_ogb_folder  # Arrow loads slowly

    if is_ogb_folder(folder):
        return load_ogb_folder(folder)
    from lsgnn.graph.io.table_folder import find_tables
    from lsgnn.graph.io.tables import read_tables

    return read_tables(*find_tables(folder), name=folder.resolve().name)


def _of_file(path: Path) -> Graph:
    ending = path.suffix.lower()
    if path.name.lower().endswith(TABLE_SUFFIXES):
        raise InputError(f"{shortened(path)} is a table: name the edge table and the node table, or their folder")
    if ending == ".mat":
        from lsgnn.graph.io.fb100 import load_fb100

        return load_fb100(path)
    if ending == ".graphml":
        from lsgnn.graph.io.graphml import load_graphml

        return load_graphml(path)
    from lsgnn.graph.io.edge_list import SUFFIXES

    if ending in SUFFIXES:
        from lsgnn.graph.io.edge_list import load_edge_list

        return load_edge_list(path)
    return _of_npz(existing_file(path))


def _of_npz(path: Path) -> Graph:
    names = array_names(path)
    if "node_features" in names:
        from lsgnn.datasets.yandex import KEYS, graph_of_arrays

        arrays = read_arrays(path, KEYS)
        if missing := [key for key in KEYS if key not in arrays]:
            raise InputError(f"{path} has no array {missing[0]!r}, but files of Yandex do: download it again")
        try:
            return graph_of_arrays([arrays[key] for key in KEYS], name=path.stem, directed="directed" in path.stem)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    if "adj_indptr" in names:
        from lsgnn.graph.io.benchmark_npz import load_benchmark_npz

        return load_benchmark_npz(path)
    return load_npz(path)
