"""Small graphs that tests share."""

import numpy as np
import scipy.sparse as sp

from lsgnn import Graph


def random_graph(seed: int = 0, n: int = 40, d: int = 12, classes: int = 3, sparse: bool = False) -> Graph:
    """A directed graph with self loops, two isolated nodes (the last two) and one all-zero feature row (the fourth)."""
    random = np.random.default_rng(seed)
    x = random.random((n, d)) * (random.random((n, d)) < 0.4)
    x[3] = 0
    edges = random.integers(0, n - 2, (2, 4 * n))
    y = np.concatenate([np.arange(classes), random.integers(0, classes, n - classes)])
    return Graph(x=sp.csr_array(x) if sparse else x, edge_index=edges, y=y, name=f"random-{seed}")


def rare(seed: int = 0, n: int = 400, share: float = 0.05) -> Graph:
    """Two classes, 'ok' and a rare 'fraud' that features hint at; neighbours are drawn at random."""
    random = np.random.default_rng(seed)
    y = (np.arange(n) < round(share * n)).astype(np.int64)
    x = random.standard_normal((n, 5)).astype(np.float32) + 2.0 * y[:, None]
    edges = random.integers(0, n, (2, 3 * n))
    return Graph(x=x, edge_index=edges, y=y, class_names=("ok", "fraud"), name="rare")


def two_blocks(seed: int = 0, n: int = 80, alike: bool = True) -> Graph:
    """Two classes with noisy features; neighbours are mostly of the same class, or mostly of the other."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    x = random.standard_normal((n, 6)).astype(np.float32) + 0.6 * y[:, None]
    source = random.integers(0, n, 6 * n)
    target = random.integers(0, n, 6 * n)
    keep = (y[source] == y[target]) == alike
    edges = np.stack([source[keep], target[keep]])
    return Graph(x=x, edge_index=np.concatenate([edges, edges[::-1]], axis=1), y=y, name="two-blocks")
