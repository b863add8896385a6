"""LocalSim against node homophily on real graphs: does the similarity of features tell how alike the classes are?

Per graph and direction, for nodes with at least one neighbour other than themselves: the histogram of node homophily,
the mean of the naive LocalSim (cosine) in each bin of it, and Spearman's rank correlation of the two.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import Direction
from lsgnn.graph.graph import Graph
from lsgnn.propagate.filters import adjacency
from lsgnn.propagate.similarity import NeighbourSimilarity, edge_similarity
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.graphs import graph_of
from paper.homophily_page import FIGURE, render
from paper.published import nine

Array = NDArray[np.float64]
DIRECTIONS: tuple[Direction, ...] = ("undirected", "out", "in")
BINS = 10  # [0, 0.1), …, [0.9, 1]


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    extra = tuple(name for name in (*FIGURE, "chameleon-filtered", "squirrel-filtered") if name not in nine())
    default = ("texas",) if plan.quick else (*nine(), *extra)
    chosen = plan.chosen(default)
    return [PlannedUnit(dataset, {"dataset": dataset, "similarity": "cosine", "bins": BINS}) for dataset in chosen]


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    graph = graph_of(arguments["dataset"], plan.data_dir)
    measured = {direction: measure(graph, direction, arguments["bins"]) for direction in DIRECTIONS}
    return {"nodes": graph.num_nodes, "directions": measured}


def measure(graph: Graph, direction: Direction, bins: int) -> dict[str, Any]:
    """Histogram, binned LocalSim and correlation over the labelled nodes with a labelled neighbour."""
    from scipy.stats import spearmanr

    share, phi = homophily_and_localsim(graph, direction)
    which = np.minimum((share * bins + 1e-9).astype(np.int64), bins - 1)
    binned = []
    for b in range(bins):
        inside = phi[which == b]
        half = 1.96 * float(inside.std(ddof=1)) / math.sqrt(len(inside)) if len(inside) > 1 else None
        binned.append({"nodes": len(inside), "mean": float(inside.mean()) if len(inside) else None, "half": half})
    varied = len(np.unique(share)) > 1 and len(np.unique(phi)) > 1
    rho, p = spearmanr(share, phi) if varied else (math.nan, math.nan)
    return {"used": len(share), "mean_homophily": float(share.mean()), "bins": binned, "spearman": rho, "p_value": p}


def homophily_and_localsim(graph: Graph, direction: Direction) -> tuple[Array, Array]:
    """Node homophily and naive cosine LocalSim over the same neighbourhood, self loops left out."""
    A = adjacency(graph, direction)
    rows = np.repeat(np.arange(graph.num_nodes), np.diff(A.indptr))
    labelled = graph.labelled[rows] & graph.labelled[A.indices]
    degree = np.bincount(rows[labelled], minlength=graph.num_nodes)
    alike = graph.y[rows] == graph.y[A.indices]
    same = np.bincount(rows[labelled], alike[labelled], minlength=graph.num_nodes)
    phi = NeighbourSimilarity.of(A, edge_similarity(graph.x, np.stack([rows, A.indices]), "cosine")).naive_localsim()
    used = degree > 0
    return same[used] / degree[used], phi[used].astype(np.float64)


EXPERIMENT = Experiment("homophily", "LocalSim and node homophily", render, units, compute)
