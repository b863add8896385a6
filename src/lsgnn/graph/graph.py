"""`Graph`: the one input type. Validated once here, so that everything to its right can rely on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.arrays import as_array
from lsgnn.graph.edge_checks import as_edges, coalesce
from lsgnn.graph.shown import shown
from lsgnn.graph.splits import Splits
from lsgnn.graph.validate import (
    Features,
    as_class_names,
    as_feature_names,
    as_features,
    as_labels,
    as_names,
    as_node_ids,
    observations,
)

if TYPE_CHECKING:
    from torch_geometric.data import Data

    from lsgnn.graph.io.transformers.plan import ColumnPlan

__all__ = ["Features", "Graph", "as_array", "as_features", "as_labels"]


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
        feature_names: the user's own names of the columns of x, if they have some; two graphs that both have them are
            matched by name, whatever the order of their columns.
        splits: official train/validation/test masks, if the graph comes with some; unlabelled nodes leave them.
        name: shown in reports.
        columns: how x was made of the columns of a table, if it was; other tables are transformed in the same way.

    `notes` tells what was noticed on the way in (merged duplicates, self loops, isolated nodes, zero rows …).
    """

    x: Features
    edge_index: NDArray[np.int64]
    y: NDArray[np.int64] = None  # type: ignore[assignment]  # always an array after validation
    edge_weight: NDArray[np.float32] | None = None
    node_ids: NDArray[Any] = None  # type: ignore[assignment]
    class_names: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    splits: Splits | None = None
    name: str = "graph"
    notes: tuple[str, ...] = ()
    columns: ColumnPlan | None = None

    def __post_init__(self) -> None:
        x = as_features(self.x)
        n = x.shape[0]
        node_ids = as_node_ids(self.node_ids, n)
        edges = as_edges(self.edge_index, self.edge_weight, n)
        edge_index, edge_weight, merged = coalesce(*edges, n=n, node_ids=node_ids)
        y = as_labels(self.y, n)
        splits, unlabelled = self._usable_splits(y)
        if not isinstance(self.name, str):
            raise InputError(f"name is {shown(self.name)}, but a name is text: pass text")
        settled = dict(
            x=x,
            edge_index=edge_index,
            y=y,
            edge_weight=edge_weight,
            node_ids=node_ids,
            class_names=as_class_names(self.class_names, y),
            feature_names=as_feature_names(self.feature_names, x.shape[1]),
            splits=splits,
            columns=self._fitting_columns(),
            # each note once, also where a graph is copied with dataclasses.replace
            notes=tuple(
                dict.fromkeys([*as_names(self.notes, "notes"), *observations(x, edge_index, merged), *unlabelled])
            ),
        )
        for field, value in settled.items():
            object.__setattr__(self, field, value)

    def _usable_splits(self, y: NDArray[np.int64]) -> tuple[Splits | None, list[str]]:
        """The masks without unlabelled nodes, which can neither be learned from nor scored."""
        if self.splits is None:
            return None, []
        if not isinstance(self.splits, Splits):
            kind = type(self.splits).__name__
            raise InputError(f"splits is of type {kind}: pass lsgnn.Splits(train, val, test), masks [splits, nodes]")
        if self.splits.num_nodes != len(y):
            raise InputError(
                f"the split masks cover {self.splits.num_nodes} nodes, but the graph has {len(y)}: "
                "pass masks of shape [splits, nodes]"
            )
        unlabelled = self.splits.covered & (y < 0)
        if not unlabelled.any():
            return self.splits, []
        return self.splits.within(y >= 0), [f"{int(unlabelled.sum())} unlabelled node(s) left out of the splits"]

    def _fitting_columns(self) -> ColumnPlan | None:
        """The transformers, unless x has other columns by now (in a copy, say)."""
        fits = self.columns is not None and self.columns.feature_names == tuple(self.feature_names)
        return self.columns if fits else None

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
            raise InputError(
                f"every labelled node of {self.name} is of class {only!r}: pass labels of two or more classes"
            )

    def save(self, path: str | Path) -> None:
        """Writes the graph as one `.npz` file without pickles; `Graph.load` reads it back."""
        from lsgnn.graph.io.npz import save_npz

        save_npz(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Graph:
        """Reads a `.npz` file written by `save` (or any file in that format)."""
        from lsgnn.graph.io.npz import load_npz

        return load_npz(path)

    def to_pyg(self) -> Data:
        """The same graph as a PyG `Data` (features dense)."""
        from lsgnn.graph.io.pyg import to_pyg

        return to_pyg(self)

    def __repr__(self) -> str:
        return (
            f"Graph({self.name!r}, nodes={self.num_nodes}, edges={self.num_edges}, "
            f"features={self.num_features}, classes={self.num_classes})"
        )
