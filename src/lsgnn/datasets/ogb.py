"""ogbn-arxiv and arxiv-year from OGB's raw CSV files, without the `ogb` package (it loads pickles).

Both are the same citation graph of 169 343 computer-science papers, edges from the citing paper to the cited one.
ogbn-arxiv asks for the subject area, with OGB's split by time. arxiv-year (Lim et al. 2021) asks for the fifth of
the years in which a paper appeared; its splits here are those of LSGNN's released code (five stratified 50/25/25
divisions by `authors_splits`), not the ones Lim et al. ship.
"""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Splits, authors_splits


def read_ogb(path: Path, *, name: str, years_as_classes: bool) -> Graph:
    """Reads OGB's layout (`raw/*.csv.gz`, `split/time/*.csv.gz`) out of the zip file; nothing is unpacked to disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = Members(archive, path)
            n, num_edges = (int(files.table(f"raw/num-{what}-list.csv.gz")[0, 0]) for what in ("node", "edge"))
            edges = files.table("raw/edge.csv.gz", rows=num_edges).T.astype(np.int64)
            x = files.table("raw/node-feat.csv.gz", rows=n).astype(np.float32)
            if years_as_classes:
                y = quantile_classes(files.table("raw/node_year.csv.gz", rows=n)[:, 0])
                splits = authors_splits(y, num_splits=5, train=0.5, val=0.25)
            else:
                y = files.table("raw/node-label.csv.gz", rows=n)[:, 0].astype(np.int64)
                splits = Splits(*(files.mask(f"split/time/{part}.csv.gz", n) for part in ("train", "valid", "test")))
    except zipfile.BadZipFile as error:
        raise InputError(f"{path} is not a whole zip file ({error}): delete it and try again") from None
    return Graph(x=x, edge_index=edges, y=y, splits=splits, name=name)


def quantile_classes(years: NDArray[Any], num_classes: int = 5) -> NDArray[np.int64]:
    """Classes of about equal size by year; a year that lies on a quantile belongs to the class above it."""
    bounds = np.quantile(years, np.arange(1, num_classes) / num_classes)
    return np.searchsorted(bounds, years, side="right").astype(np.int64)


class Members:
    """The CSV files inside the archive, below its one top folder."""

    def __init__(self, archive: zipfile.ZipFile, path: Path) -> None:
        self.archive = archive
        self.path = path
        self.names: dict[str, str] = {}
        for name in archive.namelist():
            parts = PurePosixPath(name).parts
            if ".." in parts or PurePosixPath(name).is_absolute() or "\\" in name:
                raise InputError(f"{path} holds {name!r}, which points outside the archive: get it again")
            self.names["/".join(parts[1:])] = name

    def table(self, member: str, rows: int | None = None) -> NDArray[Any]:
        """A headerless gzipped CSV of numbers [rows, columns]."""
        import pyarrow as pa
        from pyarrow import csv

        if member not in self.names:
            raise InputError(f"{self.path} has no {member}: it must be OGB's arxiv.zip, so delete it and try again")
        try:
            with (
                self.archive.open(self.names[member]) as file,
                pa.CompressedInputStream(_native(file), "gzip") as stream,
            ):
                read = csv.read_csv(stream, read_options=csv.ReadOptions(autogenerate_column_names=True))
            table = np.column_stack([column.to_numpy() for column in read.columns])
        except (pa.ArrowException, OSError, EOFError) as error:
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"{member} in {self.path} cannot be read ({first}): delete the file and try again"
            ) from None
        if table.dtype.kind not in "iuf":
            raise InputError(f"{member} in {self.path} holds text where numbers belong: delete the file and try again")
        if rows is not None and len(table) != rows:
            raise InputError(f"{member} in {self.path} has {len(table)} rows, but {rows} are announced: get it again")
        return table

    def mask(self, member: str, n: int) -> NDArray[np.bool_]:
        """The nodes listed in a file, as a mask [n]."""
        nodes = self.table(member)[:, 0]
        if nodes.dtype.kind not in "iu" or nodes.min() < 0 or nodes.max() >= n:
            raise InputError(f"{member} in {self.path} lists nodes outside 0..{n - 1}: get it again")
        mask = np.zeros(n, dtype=bool)
        mask[nodes] = True
        return mask


def _native(file: IO[bytes]) -> Any:
    import pyarrow as pa

    return pa.PythonFile(file, mode="r")
