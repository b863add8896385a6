"""What a store is made from: a `Graph`, or a folder of arrays that may be larger than memory."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError, LSGNNWarning
from lsgnn.graph.digest import digest_of_graph
from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.splits import Split, Splits, stratified_splits
from lsgnn.graph.validate import as_class_names, as_labels, as_node_ids

MASKS = ("train_mask", "val_mask", "test_mask")


class RowSlices(Protocol):
    """Features [n, d] that are made when some rows of them are asked for."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def __getitem__(self, rows: slice) -> Any: ...


@dataclass(frozen=True, eq=False)
class GraphArrays:
    """A graph as arrays that are read piece by piece; edges and features are checked when they are.

    Args:
        x: features [n, d].
        edge_index: [2, E], row 0 the source, row 1 the target.
        edge_weight: positive weights [E] or None.
        y: class numbers [n], -1 where unknown.
        split: the nodes to train, validate and test on.
        node_ids: the user's names of the nodes [n].
        identity: tells this source from another, so that a store is not continued with other data.
        feature_names: of the columns of x, if they have some.
    """

    x: Features | RowSlices
    edge_index: NDArray[np.integer]
    edge_weight: NDArray[np.floating] | None
    y: NDArray[np.int64]
    split: Split
    node_ids: NDArray[Any]
    class_names: tuple[str, ...]
    identity: str
    feature_names: tuple[str, ...] = ()

    @property
    def num_nodes(self) -> int:
        return int(self.x.shape[0])


def open_source(source: Any, split: int = 0) -> GraphArrays:
    """A folder with `x.npy`, `edge_index.npy`, `y.npy` (and more, see `read_folder`), or what `as_graph` takes.

    Args:
        split: which of a graph's splits to use; a folder has one.
    """
    if is_folder(source):
        if split:
            raise InputError(f"split={split}: a folder of arrays has one split, number 0")
        return read_folder(Path(source).expanduser())
    graph: Graph = as_graph(source)
    graph.require_classes()
    chosen = (graph.splits or stratified_splits(graph.y))[split]
    rest = (chosen.train, chosen.val, chosen.test, graph.node_ids, np.array(graph.class_names))
    digest = hashlib.sha256(b"".join(part.tobytes() for part in rest)).hexdigest()
    identity = f"{graph.name} {digest_of_graph(graph)[:16]} {digest[:16]}"
    return GraphArrays(
        x=graph.x,
        edge_index=graph.edge_index,
        edge_weight=graph.edge_weight,
        y=graph.y,
        split=chosen,
        node_ids=graph.node_ids,
        class_names=graph.class_names,
        identity=identity,
        feature_names=graph.feature_names,
    )


def is_folder(source: Any) -> bool:
    return isinstance(source, str | Path) and Path(source).expanduser().is_dir()


def read_folder(folder: Path) -> GraphArrays:
    """Memory maps of x.npy [n, d], edge_index.npy [2, E] and y.npy [n].

    Optional: edge_weight.npy [E], node_ids.npy [n], and train_mask.npy, val_mask.npy, test_mask.npy [n] (else 60, 20
    and 20 % of each class).
    """
    x, edge_index = _array(folder, "x", ndim=2), _array(folder, "edge_index", ndim=2)
    n = len(x)
    if edge_index.shape[0] != 2 or edge_index.dtype.kind not in "iu":
        raise InputError(
            f"{folder / 'edge_index.npy'} is of shape {edge_index.shape} and type {edge_index.dtype}: it must be whole "
            "numbers [2, E], sources first"
        )
    if x.size == 0:
        raise InputError(f"{folder / 'x.npy'} is of shape {x.shape}: it must have rows and columns")
    y = as_labels(np.array(_array(folder, "y", ndim=1, length=n)), n)
    weight = _array(folder, "edge_weight", 1, edge_index.shape[1]) if (folder / "edge_weight.npy").exists() else None
    for name, values in (("x", x), ("edge_weight", weight)):
        if values is not None and values.dtype.kind not in "biuf":
            raise InputError(f"{folder / name}.npy holds values of type {values.dtype}: it must hold numbers")
    ids = np.array(_array(folder, "node_ids", 1, n)) if (folder / "node_ids.npy").exists() else None
    split = _split_of(folder, y)
    require_classes(str(folder / "y.npy"), y, split)
    files = sorted(folder.glob("*.npy"))
    identity = " ".join(f"{file.name}:{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in files)
    return GraphArrays(x, edge_index, weight, y, split, as_node_ids(ids, n), as_class_names((), y), identity)


def require_classes(title: str, y: NDArray[np.int64], split: Split) -> None:
    """Raises if there is nothing to tell apart; warns of classes without training nodes."""
    classes = np.unique(y[y >= 0])
    if len(classes) < 2:
        raise InputError(f"{title} has labels of {len(classes)} class(es): it must have two or more")
    missing = np.setdiff1d(classes, y[split.train])
    if len(missing):
        note = f"no training node of class {', '.join(map(str, missing))}: it can never be predicted"
        warnings.warn(f"{title}: {note}", LSGNNWarning, stacklevel=4)


def _split_of(folder: Path, y: NDArray[np.int64]) -> Split:
    present = [name for name in MASKS if (folder / f"{name}.npy").exists()]
    if not present:
        return stratified_splits(y, 1)[0]
    if len(present) < len(MASKS):
        missing = next(name for name in MASKS if name not in present)
        raise InputError(f"{folder} has {present[0]}.npy but no {missing}.npy: write all three masks or none")
    masks = (np.array(_array(folder, name, 1, len(y)))[None] for name in MASKS)
    return Splits(*masks).within(y >= 0)[0]


def _array(folder: Path, name: str, ndim: int, length: int | None = None) -> NDArray[Any]:
    path = folder / f"{name}.npy"
    if not path.is_file():
        raise InputError(f"{folder} has no {name}.npy: a folder of arrays needs x.npy, edge_index.npy and y.npy")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # what a damaged file makes the readers raise has no common type
        raise InputError(f"{path} cannot be read as an array ({error}): write it with numpy.save") from error
    if not isinstance(array, np.ndarray):
        raise InputError(f"{path} holds several arrays: write one with numpy.save")
    if array.ndim != ndim or (length is not None and len(array) != length):
        wanted = f"{ndim} dimension(s)" if length is None else f"[{length}]"
        raise InputError(f"{path} is of shape {array.shape}: it must have {wanted}")
    return np.asarray(array)
