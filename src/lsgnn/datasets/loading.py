"""`load`: a dataset name → `Graph`, from the nearest place that has it, checked against the registry.

The order: shipped with the package, then a folder of `.npz` files (`data_dir` or LSGNN_DATA), then the cache of
earlier downloads (LSGNN_CACHE, by default ~/.cache/lsgnn), then the publisher.
"""

from __future__ import annotations

import dataclasses
import os
from importlib.resources import as_file, files
from pathlib import Path

from lsgnn.cache import cache_folder
from lsgnn.datasets.content import verify_content
from lsgnn.datasets.download import ELSEWHERE
from lsgnn.datasets.fsbm import fsbm
from lsgnn.datasets.registry import Entry, info
from lsgnn.datasets.verify import verify
from lsgnn.datasets.years import load_by_year
from lsgnn.digests import sha256_of
from lsgnn.errors import DatasetUnavailable, InputError
from lsgnn.files import make_folder
from lsgnn.graph.graph import Graph


def load(name: str, data_dir: str | Path | None = None) -> Graph:
    """The dataset called `name`.

    Args:
        name: one of `lsgnn.datasets.names()`.
        data_dir: folder with `<name>.npz` (as `Graph.save` writes it); LSGNN_DATA by default.

    >>> load("cora-linqs")
    Graph('cora-linqs', nodes=2708, edges=5429, features=1433, classes=7)
    """
    entry = info(name)
    if entry.loader == "fsbm":
        return _named(fsbm(lambda1=0.9, lambda2=0.1, seed=0), name)  # made here, so there is nothing to verify
    if entry.loader == "bundled":
        with as_file(files("lsgnn.datasets") / "bundled" / f"{name}.npz") as shipped:
            graph, origin = _from_npz(shipped, entry), "the package"
    elif (path := _in_folder(entry.file, data_dir)) is not None:
        graph, origin = _from_npz(path, entry), str(path)
    else:
        graph, origin = _from_publisher(entry)
    verify(graph, entry, origin)
    return graph


def _in_folder(file: str, data_dir: str | Path | None) -> Path | None:
    folder = data_dir or os.environ.get("LSGNN_DATA")
    if not folder:
        return None
    folder = Path(folder).expanduser()
    if not folder.is_dir():
        raise InputError(f"the data folder {folder} does not exist: name one of .npz files (or set LSGNN_DATA to it)")
    path = folder / file
    return path if path.is_file() else None


def _from_npz(path: Path, entry: Entry) -> Graph:
    graph = load_by_year(path) if entry.loader == "npz_year" else Graph.load(path)
    same_bytes = not entry.sha256 or sha256_of(path) == entry.sha256
    remark = () if same_bytes else (f"{path.name} is not the file the registry's checksum was taken from",)
    return _named(graph, entry.name, remark)


def _from_publisher(entry: Entry) -> tuple[Graph, str]:
    if not entry.downloadable:
        raise DatasetUnavailable(
            f"dataset {entry.name!r} has no public download: "
            f"name a data folder that has {entry.file} (or set LSGNN_DATA to it)"
        )
    cached = cache_folder() / f"{entry.name}.npz"
    if cached.is_file():
        graph = _named(Graph.load(cached), entry.name)
        verify_content(graph, entry, str(cached), "delete that file and try again")
        return graph, str(cached)
    raw = cache_folder() / "raw" / ("ogb" if entry.loader.startswith("ogb") else entry.name)  # OGB's serves two
    graph = _downloaded(entry, raw)
    verify(graph, entry, "its publisher")  # before it can enter the cache
    verify_content(graph, entry, "its publisher", f"delete the folder {raw} and try again")
    make_folder(cached.parent, fix=ELSEWHERE)
    graph.save(cached)
    return graph, "its publisher"


def _downloaded(entry: Entry, root: Path) -> Graph:
    from lsgnn.datasets.publishers import load_raw

    return load_raw(entry, root)


def _named(graph: Graph, name: str, remark: tuple[str, ...] = ()) -> Graph:
    """The graph under its dataset name. Only text changes, so the arrays are not validated a second time."""
    if graph.name != name or remark:
        twin = object.__new__(Graph)
        for field in dataclasses.fields(Graph):
            object.__setattr__(twin, field.name, getattr(graph, field.name))
        object.__setattr__(twin, "name", name)
        object.__setattr__(twin, "notes", (*remark, *graph.notes))
        return twin
    return graph
