"""What the conversions share: a graph of parts that may lack features, and whose object is at hand."""

from __future__ import annotations

import sys
from typing import Any

from numpy.typing import NDArray

from lsgnn.graph.graph import Graph
from lsgnn.memory import require_memory

BYTES_OF_STRUCTURE = 400  # what structural features take for a node while they are computed


def build(x: Any, edges: NDArray[Any], n: int, *, notes: tuple[str, ...] = (), **fields: Any) -> Graph:
    if x is None:
        from lsgnn.graph.structural_features import NOTE, structural_features  # scipy's solvers load slowly

        most = int(edges.max()) if edges.size and edges.dtype.kind in "iu" else "none"
        what = f"the graph has no features, and to derive some for {n} nodes from its structure"
        require_memory(BYTES_OF_STRUCTURE * n, what, f"check the node numbers (the largest is {most}), or pass x")
        x, notes = structural_features(edges, n), (*notes, NOTE)
    return Graph(x=x, edge_index=edges, notes=notes, **fields)


def is_instance(value: Any, module: str, kind: str) -> bool:
    """isinstance without the import: a value of that kind can only exist if its module is loaded."""
    return module in sys.modules and isinstance(value, getattr(sys.modules[module], kind))
