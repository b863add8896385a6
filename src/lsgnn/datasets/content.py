"""SHA-256 of a graph's numbers, whatever file they came from: two copies of a dataset agree in it or differ.

A publisher's raw files and our own `.npz` of the same graph have no byte in common, hence this. Features, classes,
edges and masks count, in one fixed form; names and notes do not.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.datasets.registry import Entry
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph


def content_sha256(graph: Graph) -> str:
    """The digest in hexadecimal; dense and sparse features of the same numbers give the same."""
    x = sp.csr_array(graph.x, copy=True)
    x.sum_duplicates()
    x.eliminate_zeros()
    masks = [] if graph.splits is None else [graph.splits.train, graph.splits.val, graph.splits.test]
    parts: list[tuple[Any, str]] = [(np.array(x.shape), "<i8"), (x.indptr, "<i8"), (x.indices, "<i8"), (x.data, "<f4")]
    parts += [(graph.y, "<i8"), (graph.edge_index, "<i8"), *((mask, "|u1") for mask in masks)]
    digest = hashlib.sha256()
    for array, dtype in parts:
        digest.update(f"{dtype} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array, dtype=dtype).tobytes())
    return digest.hexdigest()


def verify_content(graph: Graph, entry: Entry, origin: str, fix: str) -> None:
    """Raises unless the graph is the registry's, number for number; where no such digest is listed, all are welcome."""
    if entry.content_sha256 and (found := content_sha256(graph)) != entry.content_sha256:
        raise InputError(
            f"the graph from {origin} is not the registry's {entry.name!r} (its numbers have SHA-256 {found[:12]}… "
            f"instead of {entry.content_sha256[:12]}…): {fix}, or name a data folder that has {entry.file}"
        )
