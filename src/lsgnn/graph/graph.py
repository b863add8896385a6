"""`Graph`: the one input type. Validated once here, so that everything to its right can rely on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from lsgnn.errors import InputError
from lsgnn.graph.splits import Splits

if TYPE_CHECKING:
    from torch_geometric.data import Data

Features: TypeAlias = "NDArray[np.float32] | sp.csr_array"


@dataclass(frozen=True, eq=False, kw_only=True)
class Graph:
    """A graph whose nodes are to be classified.

    Args:
        x: node features [n, d]: a dense array, a scipy sparse matrix or a torch tensor; stored as float32.
        edge_index: edges [2, E] as PyG writes them, row 0 the source, row 1 the target. Direction is kept,
            self loops are kept, duplicate edges are merged (their weights added, if there are any).
        y: class numbers [n], -1 where unknown; None where no label is known.
        edge_weight: positive weights [E]; None for an unweighted graph.
        node_ids: the user's own names of the nodes [n] (strings or integers); 0 … n-1 by default.
        class_names: the user's own names of the classes; "0" … "C-1" by default.
        splits: official train/validation/test masks, if the graph comes with some.
        name: shown in reports.

    `notes` tells what was noticed on the way in (merged duplicates, self loops, isolated nodes, zero rows).
    """

    x: Features
    edge_index: NDArray[np.int64]
    y: NDArray[np.int64] = None  # type: ignore[assignment]  # always an array after validation
    edge_weight: NDArray[np.float32] | None = None
    node_ids: NDArray[Any] = None  # type: ignore[assignment]
    class_names: tuple[str, ...] = ()
    splits: Splits | None = None
    name: str = "graph"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        x = as_features(self.x)
        n = x.shape[0]
        edge_index, edge_weight, merged = _coalesce(*_as_edges(self.edge_index, self.edge_weight, n), n=n)
        y = as_labels(self.y, n)
        class_names = _as_class_names(self.class_names, y)
        node_ids = _as_node_ids(self.node_ids, n)
        if self.splits is not None and self.splits.num_nodes != n:
            raise InputError(
                f"the split masks cover {self.splits.num_nodes} nodes, but the graph has {n}: "
                "pass masks of shape [splits, nodes]"
            )
        notes = (*self.notes, *_observations(x, edge_index, merged, n))
        settled = dict(x=x, edge_index=edge_index, edge_weight=edge_weight, y=y, node_ids=node_ids)
        for field, value in dict(settled, class_names=class_names, notes=notes).items():
            object.__setattr__(self, field, value)

    @property
    def num_nodes(self) -> int:
        return int(self.x.shape[0])

    @property
    def num_edges(self) -> int:
        """Columns of `edge_index`: directed edges, self loops included."""
        return int(self.edge_index.shape[1])

    @property
    def num_features(self) -> int:
        return int(self.x.shape[1])

    @property
    def num_classes(self) -> int:
        return len(self.class_names)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which nodes have a known class [n]."""
        return self.y >= 0

    def require_classes(self) -> None:
        """Raises unless there is something to learn: labels of at least two classes."""
        present = np.unique(self.y[self.labelled])
        if len(present) == 0:
            raise InputError(f"{self.name} has no labels: pass y with a class for at least some nodes (-1 = unknown)")
        if len(present) == 1:
            only = self.class_names[present[0]]
            raise InputError(f"every labelled node of {self.name} is of class {only!r}: pass labels of two or more classes")

    def save(self, path: str | Path) -> None:
        """Writes the graph as one `.npz` file without pickles; `Graph.load` reads it back."""
        from lsgnn.graph.npz import save_npz

        save_npz(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Graph:
        """Reads a `.npz` file written by `save` (or any file in that format)."""
        from lsgnn.graph.npz import load_npz

        return load_npz(Path(path))

    def to_pyg(self) -> Data:
        """The same graph as a PyG `Data` (features dense)."""
        from lsgnn.graph.convert import to_pyg

        return to_pyg(self)

    def __repr__(self) -> str:
        return (
            f"Graph({self.name!r}, nodes={self.num_nodes}, edges={self.num_edges}, "
            f"features={self.num_features}, classes={self.num_classes})"
        )


def as_array(value: Any) -> NDArray[Any]:
    """A numpy array of an array, list or torch tensor (on any device)."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if value.layout is not None and str(value.layout) != "torch.strided":
            value = value.to_dense()
        return np.asarray(value.numpy())
    return np.asarray(value)


def as_features(x: Any) -> Features:
    """Features as float32, dense [n, d] or CSR; refuses what is not a finite table of numbers."""
    if sp.issparse(x):
        x = sp.csr_array(x)
        values = x.data
    else:
        x = values = as_array(x)
    if x.ndim != 2:
        raise InputError(f"x has {x.ndim} dimension(s), but features are a table [nodes, features]: reshape it")
    if x.shape[0] == 0:
        raise InputError("the graph has no nodes: pass at least one row of features")
    if x.shape[1] == 0:
        raise InputError("x has no columns: pass at least one feature per node (a column of ones will do)")
    if values.dtype.kind not in "fiub":
        raise InputError(f"x holds {values.dtype} values, but features are numbers: encode text or categories first")
    bad = ~np.isfinite(values) if values.dtype.kind == "f" else np.zeros(0, bool)
    if bad.any():
        row = int(np.searchsorted(x.indptr, bad.argmax(), "right") - 1) if sp.issparse(x) else int(bad.argmax() // x.shape[1])
        raise InputError(f"x has {int(bad.sum())} NaN or infinite value(s), the first in row {row}: fill or drop them first")
    if not sp.issparse(x):
        return np.ascontiguousarray(x, dtype=np.float32)
    x = sp.csr_array((x.data.astype(np.float32), x.indices, x.indptr), shape=x.shape)
    x.sum_duplicates()
    x.eliminate_zeros()
    return x


def as_labels(y: Any, n: int) -> NDArray[np.int64]:
    """Class numbers as int64 [n]; None means that no label is known."""
    if y is None:
        return np.full(n, -1, dtype=np.int64)
    y = as_array(y)
    if y.ndim == 2 and y.shape[1] == 1:  # OGB's shape
        y = y[:, 0]
    if y.shape != (n,):
        raise InputError(f"y has shape {y.shape}, but the graph has {n} nodes: pass one class number per node")
    if y.dtype.kind == "f" and np.isfinite(y).all() and (y == np.round(y)).all():
        y = y.astype(np.int64)
    if y.dtype.kind not in "iub":
        raise InputError(
            f"y holds {y.dtype} values, but classes are numbers 0, 1, … (-1 = unknown): "
            "number them (np.unique(…, return_inverse=True)) or read a table with lsgnn.read_tables"
        )
    y = y.astype(np.int64)
    if y.min() < -1:
        raise InputError(f"y holds {int(y.min())}, but classes are numbers 0, 1, … and -1 for unknown: renumber them")
    return y


def _as_edges(edge_index: Any, edge_weight: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.float32] | None]:
    edges = as_array(edge_index)
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise InputError(f"edge_index has shape {edges.shape}, but edges are [2, E] (source row, target row): transpose it")
    if edges.size and edges.dtype.kind not in "iu":
        raise InputError(f"edge_index holds {edges.dtype} values, but node numbers are integers: use lsgnn.read_tables for names")
    edges = edges.astype(np.int64)
    outside = ((edges < 0) | (edges >= n)).any(axis=0)
    if outside.any():
        e = int(outside.argmax())
        node = next(int(v) for v in edges[:, e] if not 0 <= v < n)
        raise InputError(
            f"edge {e} points to node {node}, but the graph has nodes 0..{n - 1}: "
            "check that ids start at 0 or pass a nodes table"
        )
    if edge_weight is None:
        return edges, None
    weight = as_array(edge_weight)
    if weight.shape != (edges.shape[1],):
        raise InputError(f"edge_weight has shape {weight.shape}, but there are {edges.shape[1]} edges: pass one weight per edge")
    if weight.dtype.kind not in "fiub":
        raise InputError(f"edge_weight holds {weight.dtype} values, but weights are numbers: convert them first")
    if weight.size and not (np.isfinite(weight).all() and weight.min() > 0):
        e = int((~np.isfinite(weight) | ~(weight > 0)).argmax())
        raise InputError(f"edge {e} has weight {weight[e]}, but weights are positive and finite: drop that edge or mend it")
    return edges, weight.astype(np.float32)


def _coalesce(
    edges: NDArray[np.int64], weight: NDArray[np.float32] | None, *, n: int
) -> tuple[NDArray[np.int64], NDArray[np.float32] | None, int]:
    """Edges sorted by (source, target), each once; also how many duplicates were merged."""
    key = edges[0] * n + edges[1]
    distinct, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    merged = len(key) - len(distinct)
    if weight is not None:
        weight = np.bincount(inverse, weight, minlength=len(distinct)).astype(np.float32)
    return np.ascontiguousarray(edges[:, first]), weight, merged


def _as_class_names(names: Sequence[Any], y: NDArray[np.int64]) -> tuple[str, ...]:
    count = int(y.max()) + 1
    if not len(names):
        return tuple(str(c) for c in range(count))
    if len(names) < count:
        raise InputError(f"y holds class {count - 1}, but only {len(names)} class names were given: name every class")
    if len({str(c) for c in names}) < len(names):
        raise InputError(f"class names {list(map(str, names))} are not distinct: give each class its own name")
    return tuple(str(c) for c in names)


def _as_node_ids(ids: ArrayLike | None, n: int) -> NDArray[Any]:
    if ids is None:
        return np.arange(n, dtype=np.int64)
    ids = as_array(ids)
    if ids.dtype.kind == "O":
        ids = ids.astype(str)
    if ids.shape != (n,):
        raise InputError(f"there are {ids.size} node ids for {n} nodes: pass one id per node")
    distinct, counts = np.unique(ids, return_counts=True)
    if len(distinct) < n:
        raise InputError(f"node id {distinct[counts.argmax()].item()!r} stands {counts.max()} times: ids must be distinct")
    return ids


def _observations(x: Features, edges: NDArray[np.int64], merged: int, n: int) -> list[str]:
    """What a careful user would like to know about an accepted graph."""
    loops = int((edges[0] == edges[1]).sum())
    touched = np.zeros(n, dtype=bool)
    touched[edges[:, edges[0] != edges[1]].ravel()] = True
    filled = np.diff(x.indptr) > 0 if sp.issparse(x) else np.asarray(x).any(axis=1)
    facts = {
        "duplicate edge(s) merged": merged,
        "self loop(s) (ignored by the filters)": loops,
        "isolated node(s)": int((~touched).sum()),
        "node(s) with all-zero features": int((~filled).sum()),
    }
    return [f"{count} {what}" for what, count in facts.items() if count]
