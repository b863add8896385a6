"""Is this graph the one the registry means? Compares statistics after loading, whatever the source.

The same name has meant different data over the years (Cornell's files were replaced upstream, and results differ
by 13 points), so a graph that does not have the listed statistics is refused rather than used.
"""

from __future__ import annotations

import math

from lsgnn.datasets.registry import Entry
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.homophily import edge_homophily, labelled_edges

TOLERANCE = 0.006  # the registry lists edge homophily with two decimals or more


def verify(graph: Graph, entry: Entry, origin: str) -> None:
    """Raises unless the graph has the registry's statistics; `origin` says where the graph came from."""
    differences = [
        f"{what} {found} instead of {listed}"
        for what, found, listed, slack in (
            ("nodes", graph.num_nodes, entry.nodes, 0),
            ("edges", graph.num_edges, entry.edges, entry.edges_slack),
            ("classes", graph.num_classes, entry.classes, 0),
            ("features", graph.num_features, entry.features, 0),
        )
        if not listed - slack <= found <= listed
    ]
    found = edge_homophily(labelled_edges(graph.edge_index, graph.y), graph.y)
    if not math.isclose(found, entry.edge_homophily, abs_tol=TOLERANCE):
        differences.append(f"edge homophily {found:.3f} instead of {entry.edge_homophily:.3f}")
    if entry.splits and (graph.splits is None or len(graph.splits) != entry.splits):
        differences.append(f"{0 if graph.splits is None else len(graph.splits)} splits instead of {entry.splits}")
    if differences:
        raise InputError(
            f"the graph from {origin} is not the registry's {entry.name!r} ({'; '.join(differences)}): "
            f"{entry.caution + '; ' if entry.caution else ''}use the right file, or load it under its own path"
        )
