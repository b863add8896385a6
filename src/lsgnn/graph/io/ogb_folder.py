"""A folder of OGB's raw files, unpacked from its zip archive → `Graph`; the `ogb` package itself loads pickles.

`raw/edge.csv.gz` [E, 2], `raw/num-node-list.csv.gz`, `raw/node-feat.csv.gz` [n, d] and `raw/node-label.csv.gz` [n],
without headers, and the nodes of `split/KIND/train.csv.gz`, `valid.csv.gz` and `test.csv.gz`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.build import build
from lsgnn.graph.io.csv_file import read_bare_csv
from lsgnn.graph.splits import Splits

ENDINGS = (".csv.gz", ".csv")


def is_ogb_folder(folder: Path) -> bool:
    return _found(folder / "raw" / "edge") is not None


def load_ogb_folder(folder: Path) -> Graph:
    """Reads the layout above; named after the folder, edges in the direction in which they stand there."""
    raw = folder / "raw"
    edges = _table(raw / "edge", "[E, 2]")
    if edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise InputError(
            f"{raw / 'edge.csv.gz'} has {edges.shape[1]} columns, but an edge is two node numbers: mend it"
        )
    x, labels = (_table(raw / name, "[n, …]", needed=False) for name in ("node-feat", "node-label"))
    counts = _table(raw / "num-node-list", "[1, 1]", needed=False)
    if counts is not None and len(counts) != 1:
        raise InputError(f"{folder} holds {len(counts)} graphs, but nodes of one graph are classified: pass another")
    known = [len(part) for part in (x, labels) if part is not None]
    n = int(counts[0, 0]) if counts is not None else max([int(edges.max()) + 1, *known])
    if labels is not None and labels.shape[1] != 1:
        raise InputError(
            f"{raw / 'node-label.csv.gz'} has {labels.shape[1]} columns, but a node has one class here: pass a dataset "
            "of one task"
        )
    name = folder.resolve().name
    return build(x, edges.T.astype(np.int64), n, y=labels, splits=_splits(folder, n), name=name)


def _splits(folder: Path, n: int) -> Splits | None:
    kinds = sorted(kind for kind in (folder / "split").glob("*") if _found(kind / "train"))
    if not kinds:
        return None
    return Splits(*(_mask(kinds[0] / part, n) for part in ("train", "valid", "test")))


def _mask(stem: Path, n: int) -> NDArray[np.bool_]:
    nodes = _table(stem, "[nodes, 1]")[:, 0]
    if nodes.dtype.kind not in "iu" or nodes.min() < 0 or nodes.max() >= n:
        raise InputError(f"{stem}.csv.gz lists nodes outside 0..{n - 1}: get it again")
    mask = np.zeros(n, dtype=bool)
    mask[nodes] = True
    return mask


def _table(stem: Path, shape: str, needed: bool = True) -> Any:
    path = _found(stem)
    if path is not None:
        return read_bare_csv(path)
    if needed:
        raise InputError(f"{stem.parent} has no {stem.name}.csv.gz {shape}: unpack OGB's archive again")
    return None


def _found(stem: Path) -> Path | None:
    return next((path for ending in ENDINGS if (path := stem.with_name(stem.name + ending)).is_file()), None)
