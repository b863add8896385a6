"""Graphs small enough to count by hand, and one whose names try to break out of the page."""

import numpy as np

from lsgnn import Graph
from tests.graphs import two_blocks

EVIL_ID = "<script>window.pwned = true</script>"
EVIL_CLASS = "</script><img src=x onerror=window.pwned=true>"


def five_nodes() -> Graph:
    """0 ⇄ 1, 0 → 2, 3 → 2, a self loop on 2, and node 4 alone; classes a a b a b, the class of node 3 unknown.

    Nodes 0 and 3 have different out-neighbours ({1, 2} and {2}); nodes 1 and 4 have equal features.
    """
    return Graph(
        x=np.array([[1, 0, 7], [0, 1, 7], [1, 1, 7], [0, 0, 7], [0, 1, 7]], dtype=np.float32),
        edge_index=np.array([[0, 1, 0, 3, 2], [1, 0, 2, 2, 2]]),
        y=np.array([0, 0, 1, -1, 1]),
        class_names=("a", "b"),
        name="five",
    )


def evil_graph(n: int = 60) -> Graph:
    """Two blocks with an id and a class name that are HTML, and one node without a label."""
    graph = two_blocks(n=n)
    y = graph.y.copy()
    y[0] = -1
    ids = np.array([EVIL_ID, *(f"node-{i}" for i in range(1, n))])
    return Graph(
        x=graph.x,
        edge_index=graph.edge_index,
        y=y,
        node_ids=ids,
        class_names=(EVIL_CLASS, "b&b"),
        name='evil "<b>" graph',
    )
