"""From a publisher's files to a `Graph`: where each file is kept, at which commit, and who reads it.

Every address names a commit, for branches move: Geom-GCN's main branch has another Cornell today than the papers
used. Files whose bytes are known are compared with the registry's SHA-256 before anything reads them. All readers are
our own: PyG's dataset classes give the same graphs, but they unpickle what they download.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from lsgnn.datasets.download import fetch
from lsgnn.datasets.registry import Entry
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph

GITHUB = "https://raw.githubusercontent.com"
GEOM_GCN = f"{GITHUB}/graphdml-uiuc-jlu/geom-gcn/f1fc0d14b3b019c562737240d06ec83b07d16a8f"
PLANETOID = f"{GITHUB}/kimiyoung/planetoid/af6abf468a772cc055bec88c52e4d6f51b7c37e3/data"
YANDEX = f"{GITHUB}/yandex-research/heterophilous-graphs/a431395582e929d88271309716bea4fe24ce6318/data"
OGB = "https://snap.stanford.edu/ogb/data/nodeproppred"  # has neither commits nor versions: SHA-256 pins the archive


def load_raw(entry: Entry, root: Path) -> Graph:
    """The dataset read from its publisher's files below `root`; those that are missing are downloaded first."""
    paths = [
        fetch(url, root / path, dataset=entry.name, sha256=entry.raw_sha256.get(PurePosixPath(path).name, ""))
        for path, url in raw_files(entry).items()
    ]
    try:
        return _read(entry, paths[0])
    except InputError:
        raise
    except Exception as error:  # what a damaged file can make a reader raise has no common type
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(
            f"the raw files of {entry.name!r} in {root} cannot be read ({reason}): delete that folder and try again"
        ) from error


def raw_files(entry: Entry) -> dict[str, str]:
    """Path below the dataset's folder in the cache (laid out as PyG does) → where the publisher keeps that file."""
    from lsgnn.datasets.geom_gcn import TABLES, split_files
    from lsgnn.datasets.planetoid import PARTS

    name = entry.upstream
    splits = {file: f"{GEOM_GCN}/splits/{file}" for file in split_files(name)}
    match entry.loader:
        case "planetoid":
            parts = {f"ind.{name}.{part}": f"{PLANETOID}/ind.{name}.{part}" for part in PARTS}
            folder, urls = f"{name}/geom-gcn/raw/", parts | splits
        case "webkb" | "wikipedia" | "actor":
            tables = {table: f"{GEOM_GCN}/new_data/{name}/{table}" for table in TABLES}
            folders = {"webkb": f"{name}/raw/", "wikipedia": f"{name}/geom_gcn/raw/", "actor": "raw/"}
            folder, urls = folders[entry.loader], tables | splits
        case "heterophilous":
            folder, urls = f"{name}/raw/", {f"{name}.npz": f"{YANDEX}/{name}.npz"}
        case "yandex":
            folder, urls = "", {name: f"{YANDEX}/{name}"}
        case "ogb" | "ogb_year":
            folder, urls = "", {name: f"{OGB}/{name}"}
        case other:
            raise InputError(f"no publisher has files for the loader {other!r}: check the entry of {entry.name!r}")
    return {folder + file: url for file, url in urls.items()}


def _read(entry: Entry, first: Path) -> Graph:
    """Reads the files, of which `first` is one."""
    match entry.loader:
        case "planetoid":
            from lsgnn.datasets.planetoid import read_planetoid

            return read_planetoid(first.parent, entry)
        case "ogb" | "ogb_year":
            from lsgnn.datasets.ogb import read_ogb

            return read_ogb(first, name=entry.name, years_as_classes=entry.loader == "ogb_year")
        case "heterophilous" | "yandex":
            from lsgnn.datasets.yandex import read_yandex

            return read_yandex(first, name=entry.name, directed="directed" in entry.upstream)
        case _:
            from lsgnn.datasets.geom_gcn import read_geom_gcn

            return read_geom_gcn(first.parent, entry.upstream, name=entry.name, words=entry.loader == "actor")
