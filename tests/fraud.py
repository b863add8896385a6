"""A generated table with a rare class that only degrees tell well: 2 % fraud, with more in-links than others."""

import numpy as np
from numpy.typing import NDArray

from lsgnn import Graph

COLUMNS, SHIFTED, SHIFT = 8, 2, 0.3  # two of eight columns are weakly higher for fraud, the others are noise


def fraud_graph(
    n: int = 20_000,
    edges: int = 80_000,
    labelled: float = 0.05,
    positive: float = 0.02,
    more_in_links: int = 12,
    seed: int = 0,
) -> tuple[Graph, NDArray[np.int64]]:
    """The graph, most of whose labels are unknown (-1), and the true classes of all nodes (1 is "fraud").

    Neighbours are drawn without regard to their class; a fraud node differs by `more_in_links` edges from random nodes.
    The shares of fraud among all nodes and among the labelled ones are exactly `positive` (but for rounding).
    """
    random = np.random.default_rng(seed)
    fraud = random.permutation(n)[: round(positive * n)]
    y_all = np.zeros(n, dtype=np.int64)
    y_all[fraud] = 1
    x = random.standard_normal((n, COLUMNS)).astype(np.float32)
    x[fraud, :SHIFTED] += SHIFT
    links = np.stack([random.integers(0, n, more_in_links * len(fraud)), np.repeat(fraud, more_in_links)])
    edge_index = np.concatenate([random.integers(0, n, (2, edges)), links], axis=1)
    y = np.full(n, -1, dtype=np.int64)
    for c in (0, 1):
        own = np.flatnonzero(y_all == c)
        known = own[random.permutation(len(own))[: round(labelled * len(own))]]
        y[known] = c
    return Graph(x=x, edge_index=edge_index, y=y, class_names=("ok", "fraud"), name="fraud"), y_all
