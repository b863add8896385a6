"""Node by node: how alike are a node and its neighbours in class, and does LocalSim, which needs no label, tell?

Only labelled nodes with at least one labelled neighbour have a homophily; self loops do not count here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import Direction, LSGNNConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.homophily import labelled_edges, node_homophily
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.filters import adjacency
from lsgnn.propagate.precompute import neighbour_similarity
from lsgnn.report.bins import Bin, Histogram, histogram, means_by_bin, quantile_edges

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Neighbourhood:
    """What a node sees when it reads its neighbours in one direction."""

    direction: Direction
    without_neighbours: int
    mean_degree: float
    node_homophily: float  # mean over the labelled nodes that have labelled neighbours; nan if there are none
    edge_homophily: float
    measured_nodes: int
    localsim_correlation: float  # Spearman's, between naive LocalSim and node homophily; nan where either is constant


@dataclass(frozen=True)
class NodeLikeness:
    """Distribution of node homophily over undirected neighbourhoods, and what naive LocalSim knows of it."""

    histogram: Histogram
    mostly_alike: float  # share of measured nodes with homophily ≥ 0.8
    mostly_unlike: float  # … ≤ 0.2
    similarity: str
    homophily_by_localsim: tuple[Bin, ...]


def neighbourhoods(graph: Graph, directions: Iterable[Direction], config: LSGNNConfig) -> tuple[Neighbourhood, ...]:
    return tuple(_neighbourhood(graph, direction, config) for direction in directions)


def node_likeness(graph: Graph, config: LSGNNConfig) -> NodeLikeness:
    h = homophily_of_nodes(graph, "undirected")
    measured = ~np.isnan(h)
    phi = localsim_of_nodes(graph, "undirected", config)[measured]
    h = h[measured]
    bins: list[Bin] = []
    if len(h):
        bins = means_by_bin(phi, h, quantile_edges(phi, 10), lambda low, high: f"{low:.3g} to {high:.3g}")
    return NodeLikeness(
        histogram=histogram(h, [b / 10 for b in range(11)]),
        mostly_alike=float((h >= 0.8).mean()) if len(h) else float("nan"),
        mostly_unlike=float((h <= 0.2).mean()) if len(h) else float("nan"),
        similarity=config.similarity,
        homophily_by_localsim=tuple(bins),
    )


def homophily_of_nodes(graph: Graph, direction: Direction) -> Floats:
    """Share of each node's labelled neighbours with its own class [n]; nan where that is not defined."""
    A = adjacency(graph, direction).tocoo()
    reads = np.stack([A.col, A.row]).astype(np.int64)  # the node that reads stands second, as `node_homophily` counts
    return node_homophily(labelled_edges(reads, graph.y), graph.y)


def localsim_of_nodes(graph: Graph, direction: Direction, config: LSGNNConfig) -> Floats:
    """Naive LocalSim of each node [n]; 0 for a node without neighbours."""
    x = normalize_features(graph.x, config.feature_norm)
    own = config.replace(direction=direction, localsim_direction="same")
    return neighbour_similarity(graph, x, own).naive_localsim().astype(np.float64)


def spearman(a: Floats, b: Floats) -> float:
    """Rank correlation; nan where one of the two does not vary."""
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def _ranks(values: Floats) -> Floats:
    """From 1; equal values share the mean of their ranks. (`scipy.stats` takes a second to import.)"""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray(last - (count - 1) / 2)[place]


def _neighbourhood(graph: Graph, direction: Direction, config: LSGNNConfig) -> Neighbourhood:
    A = adjacency(graph, direction)
    degree = np.diff(A.indptr)
    pairs = labelled_edges(np.stack([np.repeat(np.arange(graph.num_nodes), degree), A.indices]), graph.y)
    h = homophily_of_nodes(graph, direction)
    measured = ~np.isnan(h)
    phi = localsim_of_nodes(graph, direction, config)
    alike = graph.y[pairs[0]] == graph.y[pairs[1]]
    return Neighbourhood(
        direction=direction,
        without_neighbours=int((degree == 0).sum()),
        mean_degree=float(degree.mean()),
        node_homophily=float(h[measured].mean()) if measured.any() else float("nan"),
        edge_homophily=float(alike.mean()) if len(alike) else float("nan"),
        measured_nodes=int(measured.sum()),
        localsim_correlation=spearman(phi[measured], h[measured]),
    )
