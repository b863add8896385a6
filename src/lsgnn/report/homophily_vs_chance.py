"""Are neighbours more alike than chance? Every homophily measure beside what shuffled labels would give.

Labels change places among the labelled nodes, edges stay: class sizes and degrees are kept, only the link between the
two is cut. A measure inside the range of the shuffles says nothing about the graph.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from lsgnn.graph.graph import Graph
from lsgnn.graph.homophily import battery, labelled_edges

PERMUTATIONS = 20

DEFINITIONS = {
    "node": (
        "Node homophily",
        "mean over nodes with in-neighbours of the share of these with the same class (Pei 2020)",
    ),
    "edge": ("Edge homophily", "share of edges that join two nodes of one class (Zhu 2020)"),
    "class_insensitive": (
        "Class-insensitive",
        "mean over classes of the homophily of the class above its share of nodes, never below 0 (Lim 2021)",
    ),
    "adjusted": (
        "Adjusted homophily",
        "edge homophily less what degrees and class sizes give by chance; 1 perfect, 0 as random (Platonov 2023)",
    ),
    "label_informativeness": (
        "Label informativeness",
        "how much a neighbour's class tells about one's own, alike or not; 0 nothing, 1 everything (Platonov 2023)",
    ),
}


@dataclass(frozen=True)
class Measure:
    """One measure, and the mean and 95 % range of the same under shuffled labels; nan where it is not defined."""

    name: str
    title: str
    definition: str
    value: float
    chance: float
    chance_low: float
    chance_high: float

    @property
    def beyond_chance(self) -> bool:
        return self.value < self.chance_low or self.value > self.chance_high


def homophily_vs_chance(graph: Graph, seed: int = 0, permutations: int = PERMUTATIONS) -> tuple[Measure, ...]:
    """All measures over the directed edge list as it stands, as `lsgnn.homophily` counts them."""
    edges, y = labelled_edges(graph.edge_index, graph.y), graph.y
    seen = asdict(battery(edges, y))
    shuffled = [asdict(battery(edges, shuffled_labels(y, seed, p))) for p in range(permutations)]
    out = []
    for name, (title, definition) in DEFINITIONS.items():
        null = np.array([draw[name] for draw in shuffled])
        low, high = np.quantile(null, [0.025, 0.975])
        out.append(Measure(name, title, definition, seen[name], float(null.mean()), float(low), float(high)))
    return tuple(out)


def shuffled_labels(y: NDArray[np.int64], seed: int, number: int) -> NDArray[np.int64]:
    """The labels in random places; unlabelled nodes stay unlabelled."""
    known = np.flatnonzero(y >= 0)
    out = y.copy()
    out[known] = y[np.random.default_rng([seed, number]).permutation(known)]
    return out
