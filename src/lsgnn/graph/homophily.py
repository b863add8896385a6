r"""How alike are neighbours? Pure functions of labels and edges.

With :math:`y_i` the class of node i, :math:`E` directed edges, and self loops counted unless dropped by the caller:

* node homophily (Pei et al. 2020): mean over nodes with neighbours of the share of them with the node's own class
  (PyG counts a node without neighbours as 0; on a directed graph whose edges are few that says how many such nodes
  there are, not how alike neighbours are);
* edge homophily (Zhu et al. 2020): share of edges that join equal classes;
* class-insensitive (Lim et al. 2021): mean over classes of max(0, homophily of the class − share of the class);
* adjusted (Platonov et al. 2023): edge homophily corrected for chance, 1 = perfect, 0 = as random;
* label informativeness (Platonov et al. 2023): how much a neighbour's class tells about one's own, 0 to 1.

Edges that touch an unlabelled node are left out of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lsgnn.graph.graph import Graph

Edges = NDArray[np.int64]


@dataclass(frozen=True)
class Homophily:
    """All measures of one graph; `nan` where a measure is not defined (no edges, or a single class)."""

    node: float
    edge: float
    class_insensitive: float
    adjusted: float
    label_informativeness: float


def homophily(graph: Graph) -> Homophily:
    """The whole battery over the directed edge list as it stands, as the literature counts it."""
    return battery(labelled_edges(graph.edge_index, graph.y), graph.y)


def battery(edges: Edges, y: NDArray[np.int64]) -> Homophily:
    """All measures of edges between labelled nodes [2, E] and labels [n] that need not be those of a graph."""
    per_node = node_homophily(edges, y)
    return Homophily(
        node=_mean_or_nan(per_node[~np.isnan(per_node)]),
        edge=edge_homophily(edges, y),
        class_insensitive=class_insensitive_homophily(edges, y),
        adjusted=adjusted_homophily(edges, y),
        label_informativeness=label_informativeness(edges, y),
    )


def labelled_edges(edge_index: Edges, y: NDArray[np.int64]) -> Edges:
    """The edges between two labelled nodes."""
    return edge_index[:, (y[edge_index] >= 0).all(axis=0)]


def node_homophily(edges: Edges, y: NDArray[np.int64]) -> NDArray[np.float64]:
    """Per node: share of in-neighbours with its own class [n]; `nan` for nodes without neighbours."""
    same = y[edges[0]] == y[edges[1]]
    degree = np.bincount(edges[1], minlength=len(y))
    alike = np.bincount(edges[1], same, minlength=len(y))
    share = np.full(len(y), np.nan)
    np.divide(alike, degree, out=share, where=degree > 0)
    return share


def edge_homophily(edges: Edges, y: NDArray[np.int64]) -> float:
    return _mean_or_nan(y[edges[0]] == y[edges[1]])


def class_insensitive_homophily(edges: Edges, y: NDArray[np.int64]) -> float:
    r""":math:`\frac{1}{C-1} \sum_c \max(0, h_c - n_c / n)`, h_c the share of edges into class c that come from c."""
    known = y[y >= 0]
    C = int(known.max()) + 1 if len(known) else 0
    if C < 2 or not edges.shape[1]:
        return float("nan")
    into = np.bincount(y[edges[1]], minlength=C)
    same = np.bincount(y[edges[1]], y[edges[0]] == y[edges[1]], minlength=C)
    share = np.bincount(known, minlength=C) / len(known)
    per_class = np.divide(same, into, out=np.zeros(C), where=into > 0)
    return float(np.maximum(per_class - share, 0).sum() / (C - 1))


def adjusted_homophily(edges: Edges, y: NDArray[np.int64]) -> float:
    r""":math:`(h_{edge} - \sum_c \bar p_c^2) / (1 - \sum_c \bar p_c^2)`, p̄_c the degree-weighted share of class c."""
    chance = float((_degree_weighted_shares(edges, y) ** 2).sum())
    return (edge_homophily(edges, y) - chance) / (1 - chance) if chance < 1 else float("nan")


def label_informativeness(edges: Edges, y: NDArray[np.int64]) -> float:
    r""":math:`2 - H(y_i, y_j) / H(\bar p)` over the edges (i, j), read in both directions."""
    if not edges.shape[1]:
        return float("nan")
    C = int(y.max()) + 1
    joint = np.bincount(y[edges[0]] * C + y[edges[1]], minlength=C * C).reshape(C, C).astype(np.float64)
    joint = (joint + joint.T) / (2 * edges.shape[1])
    marginal = _entropy(_degree_weighted_shares(edges, y))
    return 2 - _entropy(joint.ravel()) / marginal if marginal > 0 else float("nan")


def _degree_weighted_shares(edges: Edges, y: NDArray[np.int64]) -> NDArray[np.float64]:
    if not edges.shape[1]:
        return np.ones(1)
    return np.bincount(y[edges].ravel()) / edges.size


def _entropy(p: NDArray[np.float64]) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _mean_or_nan(values: NDArray[np.bool_] | NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else float("nan")
