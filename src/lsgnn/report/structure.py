"""What the edges look like before any label is read: degrees, components, direction. Graph in, plain numbers out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from lsgnn.config import Direction
from lsgnn.graph.graph import Graph
from lsgnn.propagate.filters import adjacency
from lsgnn.report.bins import Histogram, degree_edges, histogram

LARGEST_SHOWN = 10  # component sizes listed


@dataclass(frozen=True)
class Degrees:
    """Quantiles of one kind of degree; self loops do not count."""

    least: float
    quarter: float
    median: float
    three_quarters: float
    percentile_95: float
    most: float
    mean: float


@dataclass(frozen=True)
class Structure:
    """Degrees, components and direction of a graph. `degree` joins both directions, each neighbour once."""

    nodes: int
    edges: int
    self_loops: int
    isolated: int
    reciprocal_share: float  # of the edges without self loops, those whose reverse exists; nan without edges
    symmetric: bool
    in_degree: Degrees
    out_degree: Degrees
    degree: Degrees
    degree_histogram: Histogram
    components: int
    largest_components: tuple[int, ...]
    largest_component_share: float


def structure_of(graph: Graph) -> Structure:
    source, target = graph.edge_index
    proper = source != target
    source, target = source[proper], target[proper]
    n = graph.num_nodes
    degree = neighbour_counts(graph)
    sizes = component_sizes(graph)
    reciprocal = reciprocal_edges(source, target, n)
    return Structure(
        nodes=n,
        edges=graph.num_edges,
        self_loops=int((~proper).sum()),
        isolated=int((degree == 0).sum()),
        reciprocal_share=float(reciprocal.mean()) if len(reciprocal) else float("nan"),
        symmetric=bool(reciprocal.all()),
        in_degree=_degrees(np.bincount(target, minlength=n)),
        out_degree=_degrees(np.bincount(source, minlength=n)),
        degree=_degrees(degree),
        degree_histogram=histogram(degree.astype(np.float64), [edge - 0.5 for edge in degree_edges(int(degree.max()))]),
        components=len(sizes),
        largest_components=tuple(int(size) for size in sizes[:LARGEST_SHOWN]),
        largest_component_share=float(sizes[0] / n),
    )


def neighbour_counts(graph: Graph, direction: Direction = "undirected") -> NDArray[np.int64]:
    """How many other nodes each node reads [n]; by default those joined to it in either direction."""
    return np.asarray(np.diff(adjacency(graph, direction).indptr), dtype=np.int64)


def reciprocal_edges(source: NDArray[np.int64], target: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
    """Which of the distinct edges have their reverse among them [E]."""
    return np.isin(source * n + target, target * n + source)


def component_sizes(graph: Graph) -> NDArray[np.int64]:
    """Sizes of the weakly connected components, largest first."""
    A = sp.csr_array((np.ones(graph.num_edges, np.int8), tuple(graph.edge_index)), shape=(graph.num_nodes,) * 2)
    _, member = connected_components(A, directed=True, connection="weak")
    return np.asarray(np.sort(np.bincount(member))[::-1], dtype=np.int64)


def _degrees(values: NDArray[np.integer]) -> Degrees:
    quantiles = np.quantile(values, [0, 0.25, 0.5, 0.75, 0.95, 1])
    return Degrees(*(float(value) for value in (*quantiles, values.mean())))
