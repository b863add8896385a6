"""`Graph` ↔ one `.npz` file without pickles: what `Graph.save` writes and what a data folder holds.

Keys: `x` [n, d], or its CSR parts `x_data, x_indices, x_indptr, x_shape`; `y` [n] (-1 unknown); `edge_index` [2, E];
optional `edge_weight` [E], `node_ids` [n], `class_names` [C], `feature_names` [d], `notes`, `columns` (JSON: how x was
made of tables), and the masks of splits `train_masks, val_masks, test_masks` [S, n]. Other keys are ignored, so that a
file may carry more than we read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.files import write_atomically
from lsgnn.graph.arrays import as_text
from lsgnn.graph.csr_parts import csr_of_parts
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.npz_arrays import read_arrays
from lsgnn.graph.paths import expanded
from lsgnn.graph.splits import Splits

if TYPE_CHECKING:
    from lsgnn.graph.io.transformers.plan import ColumnPlan

Arrays = Mapping[str, NDArray[Any]]

CSR_KEYS = ("x_data", "x_indices", "x_indptr", "x_shape")
MASK_KEYS = ("train_masks", "val_masks", "test_masks")
READ_KEYS = (
    *CSR_KEYS,
    *MASK_KEYS,
    *("x", "y", "edge_index", "edge_weight", "node_ids", "class_names", "feature_names", "notes", "columns"),
)


def save_npz(graph: Graph, path: str | Path) -> None:
    """Writes the graph, whole or not at all; `load_npz` gives back the same numbers bit for bit.

    The name is not stored: a graph is called after its file.
    """
    path = expanded(path)
    if path.suffix != ".npz":
        raise InputError(f"cannot save a graph as {path.name!r}: the name must end in .npz")
    index = np.int32 if graph.num_nodes < 2**31 else np.int64
    arrays: dict[str, Any] = {**_feature_arrays(graph), "y": graph.y, "edge_index": graph.edge_index.astype(index)}
    arrays |= {"node_ids": graph.node_ids, "class_names": np.array(graph.class_names, dtype=np.str_)}
    arrays["notes"] = np.array(graph.notes, dtype=np.str_)
    if graph.feature_names:
        arrays["feature_names"] = np.array(graph.feature_names, dtype=np.str_)
    if graph.columns is not None:
        arrays["columns"] = np.frombuffer(graph.columns.to_json().encode(), np.uint8)
    if graph.edge_weight is not None:
        arrays["edge_weight"] = graph.edge_weight
    if graph.splits is not None:
        arrays |= dict(zip(MASK_KEYS, (graph.splits.train, graph.splits.val, graph.splits.test), strict=True))
    with write_atomically(path) as file:
        np.savez_compressed(file, **arrays)  # no object array can be among them, hence no pickle


def load_npz(path: str | Path) -> Graph:
    """Reads a graph in the format above, named after the file."""
    path = expanded(path)
    arrays = read_arrays(path, READ_KEYS)
    for key in ("edge_index", "y"):
        _require(key, arrays, path)
    try:
        fields: dict[str, Any] = {key: arrays.get(key) for key in ("edge_index", "y", "edge_weight", "node_ids")}
        fields |= {key: _names(key, arrays) for key in ("class_names", "feature_names", "notes")}
        fields["columns"] = _columns(arrays)
        return Graph(x=_features(arrays, path), splits=_splits(arrays, path), name=path.stem, **fields)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _feature_arrays(graph: Graph) -> dict[str, NDArray[Any]]:
    x: Any = graph.x
    if not sp.issparse(x):
        return {"x": x}
    return dict(zip(CSR_KEYS, (x.data, x.indices, x.indptr, np.array(x.shape, dtype=np.int64)), strict=True))


def _features(arrays: Arrays, path: Path) -> Any:
    if "x" in arrays:
        return arrays["x"]
    if "x_data" not in arrays:
        _require("x", arrays, path)
    for key in CSR_KEYS:
        _require(key, arrays, path)
    data, indices, indptr, shape = (arrays[key] for key in CSR_KEYS)
    return csr_of_parts(data, indices, indptr, shape)


def _names(key: str, arrays: Arrays) -> tuple[str, ...]:
    names = arrays.get(key, np.array([], dtype=np.str_))
    if names.ndim != 1 or names.dtype.kind not in "USiub":
        raise InputError(
            f"{key} is an array of shape {names.shape} and type {names.dtype}, but it is a list of names: write text "
            f"of shape [{key}]"
        )
    return tuple(map(str, as_text(names, key) if names.dtype.kind in "US" else names))


def _columns(arrays: Arrays) -> ColumnPlan | None:
    if "columns" not in arrays:
        return None
    from lsgnn.graph.io.transformers.plan import ColumnPlan  # Arrow loads slowly, and few graphs come from tables

    try:
        return ColumnPlan.from_json(arrays["columns"].astype(np.uint8, casting="equiv").tobytes().decode())
    except (UnicodeDecodeError, TypeError) as error:
        raise InputError(f"columns is not JSON in bytes ({error}): save the graph again") from error


def _splits(arrays: Arrays, path: Path) -> Splits | None:
    if not any(key in arrays for key in MASK_KEYS):
        return None
    for key in MASK_KEYS:
        _require(key, arrays, path)
    return Splits(*(arrays[key] for key in MASK_KEYS))


def _require(key: str, arrays: Arrays, path: Path) -> None:
    if key not in arrays:
        held = ", ".join(sorted(arrays)) or "none of the known arrays"
        raise InputError(f"{path.name} has no array {key!r} (it holds {held}): save the graph again")
