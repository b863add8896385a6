"""The `.npz` of the common benchmark collections (Shchur et al. 2018; CitationFull, Amazon, Coauthor) → `Graph`.

Keys: the CSR parts of the adjacency, `adj_data, adj_indices, adj_indptr, adj_shape`, those of the features, `attr_…`
(or a dense `attr_matrix`), and `labels`. Names of nodes and words are pickled there, and are not read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lsgnn.errors import InputError
from lsgnn.graph.csr_parts import csr_of_parts
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.npz_arrays import read_arrays
from lsgnn.graph.io.scipy_matrix import from_scipy

PARTS = ("data", "indices", "indptr", "shape")
ADJACENCY = tuple(f"adj_{part}" for part in PARTS)
FEATURES = tuple(f"attr_{part}" for part in PARTS)


def load_benchmark_npz(path: Path) -> Graph:
    """Reads the layout above, directions as they are; named after the file."""
    arrays = read_arrays(path, (*ADJACENCY, *FEATURES, "attr_matrix", "labels"))
    try:
        adjacency = _matrix(arrays, ADJACENCY)
        if adjacency is None:
            missing = next(key for key in ADJACENCY if key not in arrays)
            raise InputError(f"it has no array {missing!r}: check that it is a whole file of the collection")
        x = arrays["attr_matrix"] if "attr_matrix" in arrays else _matrix(arrays, FEATURES)
        return from_scipy(adjacency, x, arrays.get("labels"), name=path.stem)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _matrix(arrays: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """The CSR matrix of four arrays; a binary one may come without its ones."""
    if any(key not in arrays for key in keys[1:]):
        return None
    data = arrays.get(keys[0])
    indices, indptr, shape = (arrays[key] for key in keys[1:])
    return csr_of_parts(np.ones(len(indices)) if data is None else data, indices, indptr, shape, keys[0][:-5])
