r"""The paper's toy graph: a featured stochastic block model with a mixture of heterophily (section "Case Study").

Two communities :math:`C_1, C_2` and two subgraphs :math:`\mathcal G_1, \mathcal G_2` of equal size cut the n nodes
into four cells. Inside subgraph τ two nodes are joined with probability :math:`p_\tau` if they share a community
and :math:`q_\tau` if not; between subgraphs there are no edges. With :math:`\lambda_\tau = p_\tau / (p_\tau + q_\tau)`
and an expected degree of :math:`\tfrac n 4 (p_\tau + q_\tau)`:

.. math:: p_\tau = \tfrac{4 \deg}{n} \lambda_\tau, \qquad q_\tau = \tfrac{4 \deg}{n} (1 - \lambda_\tau)

A node's one feature is :math:`x_i = \mu_{c(i)} + \eta_i` with :math:`\eta_i \sim N(0, \sigma^2)`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import authors_splits


def fsbm(
    lambda1: float,
    lambda2: float,
    n: int = 1000,
    mu: tuple[float, float] = (1.0, -1.0),
    sigma: float = 1.0,
    degree: float = 10,
    seed: int = 0,
) -> Graph:
    """Draws one graph; the same arguments give the same graph.

    Args:
        lambda1, lambda2: expected homophily of the two subgraphs, in [0, 1].
        n: nodes, a multiple of 4. Node i lies in subgraph `subgraph(graph)[i] = i // (n / 2)`; the first half of
            each subgraph is community 0, the second half community 1, which is also the class.
        mu: expected feature of the two communities.
        sigma: standard deviation of the noise.
        degree: expected degree of every node, at most n / 4.
        seed: of edges, features and of the ten 48/32/20 splits that come with the graph.

    Edges are stored in both directions, without self loops.
    """
    for name, value in (("lambda1", lambda1), ("lambda2", lambda2)):
        if not 0 <= value <= 1:
            raise InputError(f"{name}={value} is out of range: it must be between 0 and 1")
    if n < 4 or n % 4:
        raise InputError(f"n={n} cannot be cut into two communities times two subgraphs: it must be a multiple of 4")
    if not 0 < degree <= n / 4:
        raise InputError(f"degree={degree} is out of range: it must be positive and at most n/4 = {n / 4:g}")
    if not sigma >= 0:
        raise InputError(f"sigma={sigma} is out of range: it must be at least 0")

    random = np.random.default_rng(seed)
    scale = 4 * degree / n
    cells = np.arange(4) * (n // 4)  # first node of (subgraph 1, class 0), (1, 1), (2, 0), (2, 1)
    pairs = []
    for tau, lam in enumerate((lambda1, lambda2)):
        first, second = cells[2 * tau : 2 * tau + 2]
        pairs += [
            _within(random, int(first), n // 4, scale * lam),
            _within(random, int(second), n // 4, scale * lam),
            _between(random, int(first), int(second), n // 4, scale * (1 - lam)),
        ]
    edges = np.concatenate(pairs, axis=1)
    y = np.tile(np.repeat([0, 1], n // 4), 2)
    x = np.asarray(mu, dtype=np.float64)[y] + sigma * random.standard_normal(n)
    return Graph(
        x=x[:, None],
        edge_index=np.concatenate([edges, edges[::-1]], axis=1),
        y=y,
        splits=authors_splits(y, seed=seed),
        name=f"fsbm({lambda1:g}, {lambda2:g})",
    )


def subgraph(graph: Graph) -> NDArray[np.int64]:
    """Which of the two subgraphs each node of an `fsbm` graph lies in [n]: 0 or 1."""
    return np.arange(graph.num_nodes) // (graph.num_nodes // 2)


def _within(random: np.random.Generator, start: int, size: int, p: float) -> NDArray[np.int64]:
    """Edges i < j inside one cell [2, E]; pair k of the strict lower triangle is (k - j(j-1)/2, j)."""
    k = _successes(random, size * (size - 1) // 2, p)
    j = ((1 + np.sqrt(1 + 8 * k)) // 2).astype(np.int64)
    return start + np.stack([k - j * (j - 1) // 2, j])


def _between(random: np.random.Generator, first: int, second: int, size: int, p: float) -> NDArray[np.int64]:
    """Edges between two cells of one subgraph [2, E]."""
    i, j = np.divmod(_successes(random, size * size, p), size)
    return np.stack([first + i, second + j])


def _successes(random: np.random.Generator, trials: int, p: float) -> NDArray[np.int64]:
    """Which of many independent trials succeed, in time and memory of the successes only."""
    return np.sort(random.choice(trials, random.binomial(trials, min(p, 1.0)), replace=False))
