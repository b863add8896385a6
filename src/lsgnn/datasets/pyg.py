"""Datasets that PyG knows how to read: raw files of the publishers → PyG's dataset classes → `Graph`.

The raw files are put where PyG looks for them (see `download`), Geom-GCN's from the commit that holds the files of
the papers: its main branch has moved since (another Cornell). PyG then parses them; `loading` checks the result.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from typing import Any

from lsgnn.datasets.download import fetch
from lsgnn.datasets.registry import Entry
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph, as_array
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.graph.splits import Splits

GEOM_GCN = "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn/f1fc0d14b3b019c562737240d06ec83b07d16a8f"
PLANETOID = "https://github.com/kimiyoung/planetoid/raw/master/data"
YANDEX = "https://github.com/yandex-research/heterophilous-graphs/raw/main/data"


def load_pyg(entry: Entry, root: Path) -> Graph:
    """The dataset read by PyG from `root`, the folder PyG calls so; missing raw files are downloaded into it."""
    for path, url in raw_files(entry).items():
        fetch(url, root / path, dataset=entry.name, md5=entry.md5.get(Path(path).name, ""))
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")  # old pickles and PyG's progress lines are nobody's business here
        try:
            data = _read(entry, root)[0]
        except Exception as error:  # what damaged pickles and tables raise has no common type
            raise InputError(
                f"the raw files of {entry.name!r} in {root} cannot be read ({error}): delete that folder and try again"
            ) from error
    return graph_of(data, entry.name)


def raw_files(entry: Entry) -> dict[str, str]:
    """Path below PyG's root folder → where the publisher keeps that file."""
    name = entry.upstream
    tables = ("out1_node_feature_label.txt", "out1_graph_edges.txt")
    splits = [f"{name}_split_0.6_0.2_{s}.npz" for s in range(10)]
    match entry.loader:
        case "planetoid":
            parts = [f"ind.{name}.{part}" for part in ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")]
            urls = {part: f"{PLANETOID}/{part}" for part in parts} | {s: f"{GEOM_GCN}/splits/{s}" for s in splits}
            folder = f"{name}/geom-gcn/raw"
        case "webkb" | "wikipedia" | "actor":
            urls = {t: f"{GEOM_GCN}/new_data/{name}/{t}" for t in tables} | {
                s: f"{GEOM_GCN}/splits/{s}" for s in splits
            }
            folder = {"webkb": f"{name}/raw", "wikipedia": f"{name}/geom_gcn/raw", "actor": "raw"}[entry.loader]
        case "heterophilous":
            urls = {f"{name}.npz": f"{YANDEX}/{name}.npz"}
            folder = f"{name}/raw"
        case other:
            raise InputError(f"PyG has no loader {other!r}: check the registry's entry of {entry.name!r}")
    return {f"{folder}/{file}": url for file, url in urls.items()}


def _read(entry: Entry, root: Path) -> Any:
    from torch_geometric import datasets

    # force_reload: PyG's own processed copy would outlive a change of the raw files
    match entry.loader:
        case "planetoid":
            return datasets.Planetoid(str(root), entry.upstream, split="geom-gcn", force_reload=True)
        case "webkb":
            return datasets.WebKB(str(root), entry.upstream, force_reload=True)
        case "wikipedia":
            return datasets.WikipediaNetwork(str(root), entry.upstream, geom_gcn_preprocess=True, force_reload=True)
        case "actor":
            return datasets.Actor(str(root), force_reload=True)
        case _:
            return datasets.HeterophilousGraphDataset(str(root), entry.upstream, force_reload=True)


def graph_of(data: Any, name: str) -> Graph:
    """A PyG `Data` whose masks are [n, S] as a `Graph`."""
    masks = (as_array(getattr(data, f"{part}_mask")).T.astype(bool) for part in ("train", "val", "test"))
    x = sparse_if_mostly_zero(as_array(data.x))
    return Graph(x=x, edge_index=data.edge_index, y=data.y, splits=Splits(*masks), name=name)
