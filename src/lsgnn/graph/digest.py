"""Names for data: digests of a graph and of a split, which change with whatever can change a result."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split


def digest_of_split(split: Split) -> list[str]:
    masks = (split.train, split.val, split.test)
    return [hashlib.sha256(np.packbits(mask).tobytes()).hexdigest() for mask in masks]


def digest_of_graph(graph: Graph) -> str:
    x: Any = graph.x
    parts = [x.data, x.indices, x.indptr] if sp.issparse(x) else [x]
    parts += [graph.edge_index, graph.y]
    if graph.edge_weight is not None:
        parts.append(graph.edge_weight)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(str((part.dtype, part.shape)).encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
