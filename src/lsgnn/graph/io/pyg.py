"""PyG's `Data` ↔ `Graph`; PyG is imported only when it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from lsgnn.errors import InputError
from lsgnn.graph.arrays import as_array
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.build import build, is_instance
from lsgnn.graph.splits import Splits

if TYPE_CHECKING:
    from torch_geometric.data import Data

PARTS = ("train", "val", "test")


def from_pyg(data: Data, *, name: str = "graph") -> Graph:
    """A graph from a PyG `Data`: `edge_index`, `x`, `y`, `edge_weight` and the masks ([n] or [n, splits])."""
    if not is_instance(data, "torch_geometric.data", "Data"):
        raise InputError(f"from_pyg reads a torch_geometric.data.Data, not a {type(data).__name__}: pass one")
    if data.edge_index is None:
        raise InputError(
            "the PyG Data has no edge_index: set it (from adj_t by torch_geometric.utils.to_edge_index, rows swapped)"
        )
    edges = as_array(data.edge_index)
    if data.num_nodes is None:
        raise InputError("the PyG Data does not tell how many nodes it has: set its x or num_nodes")
    n = int(data.num_nodes)
    masks = {part: data.get(f"{part}_mask") for part in PARTS}
    given = [part for part, mask in masks.items() if mask is not None]
    notes = []
    if 0 < len(given) < len(PARTS):
        notes.append(f"masks ignored, because the Data has only {', '.join(f'{part}_mask' for part in given)}")
    if data.get("edge_attr") is not None and data.get("edge_weight") is None:
        notes.append("edge_attr ignored: LSGNN reads edge_weight")
    return build(
        data.x,
        edges,
        n,
        y=data.y,
        edge_weight=data.get("edge_weight"),
        splits=_splits_of_masks(masks, n) if len(given) == len(PARTS) else None,
        name=name,
        notes=tuple(notes),
    )


def to_pyg(graph: Graph) -> Data:
    """A PyG `Data` with dense float features, masks [n] for one split and [n, splits] for several.

    It shares no memory with the graph. Node ids and class names have no place in it.
    """
    import torch
    from torch_geometric.data import Data

    x: Any = graph.x
    dense = x.toarray() if sp.issparse(x) else x
    fields = {"x": dense, "edge_index": graph.edge_index, "y": graph.y, "edge_weight": graph.edge_weight}
    if graph.splits is not None:
        for part in PARTS:
            masks = getattr(graph.splits, part).T
            fields[f"{part}_mask"] = masks[:, 0] if len(graph.splits) == 1 else masks
    return Data(**{key: torch.tensor(value) for key, value in fields.items() if value is not None})


def _splits_of_masks(masks: dict[str, Any], n: int) -> Splits:
    """PyG writes [n] or [n, S], and WikiCS both at once; older files hold 0/1 bytes."""
    columns = {}
    for part, given in masks.items():
        mask = as_array(given)
        mask = mask.astype(bool) if mask.dtype == np.uint8 else mask
        if mask.ndim not in (1, 2) or mask.shape[0] != n:
            raise InputError(
                f"{part}_mask has shape {mask.shape}, but the graph has {n} nodes: pass [n] or [n, splits]"
            )
        columns[part] = mask.reshape(n, -1)
    S = max(mask.shape[1] for mask in columns.values())
    if any(mask.shape[1] not in (1, S) for mask in columns.values()):
        counts = [mask.shape[1] for mask in columns.values()]
        raise InputError(f"train, val and test masks have {counts} splits: give each the same number")
    return Splits(**{part: np.broadcast_to(mask, (n, S)).T.copy() for part, mask in columns.items()})
