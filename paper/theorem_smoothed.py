r"""What Theorem 1 becomes for smoothed LocalSim, φ averaged over a node and its neighbours: formulas and simulation.

With squared distances, φ and every average of it is a quadratic form :math:`-x^\top L x`, L the Laplacian of the
weights that edges have in it. So, for features :math:`x = \mu + \eta` with noise of variance σ²,

.. math::
    E = -\sigma^2 \operatorname{tr} L - \mu^\top L \mu, \qquad
    \mathrm{Var} = 2 \sigma^4 \operatorname{tr} L^2 + 4 \sigma^2 \lVert L \mu \rVert^2.

For d neighbours each, q = (1 − λ) d of them of the other class at distance Δ, and no short cycles, both have the
expectation of Theorem 1, and the variances are

.. math::
    \mathrm{Var}[\phi] &= 2 \sigma^4 \Big(1 + \frac 3 d\Big) + 4 \sigma^2 \Delta^2 \frac{q (q + 1)}{d^2}, \\
    \mathrm{Var}[\phi^1] &= 2 \sigma^4 \frac{d^2 + 9 d + 6}{d (d + 1)^2}
        + 4 \sigma^2 \Delta^2 \frac{q \big((d + 6) q + d\big)}{d^2 (d + 1)^2}.

The noise of the node itself, which no number of neighbours takes out of φ, is divided by about d. What smoothing costs
is a blur: if a share ρ of the neighbours lies in the node's own subgraph, the gap between the two subgraphs shrinks by
the factor :math:`1 - 2 (1 - \rho) d / (d + 1)`. It helps where the square of this factor is above the ratio of the
variances (here those within one subgraph).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def variance(lam: float, facts: Any) -> float:
    """Var[φ] of one node."""
    d, s2, D2, q = _letters(lam, facts)
    return float(2 * s2**2 * (1 + 3 / d) + 4 * s2 * D2 * q * (q + 1) / d**2)


def smoothed_variance(lam: float, facts: Any) -> float:
    """Var[φ¹], averaged over the node and its neighbours, all of one subgraph."""
    d, s2, D2, q = _letters(lam, facts)
    noise = (d**2 + 9 * d + 6) / (d * (d + 1) ** 2)
    return float(2 * s2**2 * noise + 4 * s2 * D2 * q * ((d + 6) * q + d) / (d * (d + 1)) ** 2)


def blur(rho: float, degree: int) -> float:
    """What is left of the gap between two subgraphs where a share ρ of the neighbours is of the node's own."""
    return 1 - 2 * (1 - rho) * degree / (degree + 1)


def _letters(lam: float, facts: Any) -> tuple[int, float, float, float]:
    first, second = facts["mu"]
    d = facts["degree"]
    return d, facts["sigma"] ** 2, (first - second) ** 2, (1 - lam) * d


def compute_smoothed(arguments: dict[str, Any]) -> dict[str, Any]:
    """Per λ: mean of φ¹ and of its squared distance from the predicted expectation; per ρ: the gap that is left."""
    from paper.theorem import interval
    from paper.theorem_page import expected

    random = np.random.default_rng(arguments["seed"])
    smoothed = []
    for lam in arguments["lambdas"]:
        phi = smoothed_localsim_of_nodes(random, lam, lam, 1.0, arguments)
        squared = interval((phi - expected(lam, arguments)) ** 2)
        smoothed.append({"lambda": lam, **interval(phi), "variance": squared["mean"], "variance_half": squared["half"]})
    gaps, (low, high) = [], arguments["pair"]
    for rho in arguments["shares"]:
        first = smoothed_localsim_of_nodes(random, high, low, rho, arguments)
        second = smoothed_localsim_of_nodes(random, low, high, rho, arguments)
        gaps.append({"share": rho, **interval(first - second)})
    return {"smoothed": smoothed, "gap": gaps}


def smoothed_localsim_of_nodes(random: np.random.Generator, lam: float, other: float, rho: float, facts: Any) -> Array:
    """φ¹ of independent nodes of the first class [nodes]: each with d neighbours, (1 − ρ) d of them in the subgraph of
    the `other` λ, and these with d − 1 further ones; everyone has exactly its share of neighbours of either class."""
    (first, second), sigma, d, nodes = facts["mu"], facts["sigma"], facts["degree"], facts["nodes"]
    differs = np.arange(d) >= round(lam * d)  # the neighbours of the other class
    foreign = random.permutation(d) < round((1 - rho) * d)
    x = first + sigma * random.standard_normal(nodes)
    total = np.zeros(nodes)
    for j in range(d):
        own, across = (second, first) if differs[j] else (first, second)
        near = own + sigma * random.standard_normal(nodes)
        unlike = round((1 - (other if foreign[j] else lam)) * d) - bool(differs[j])  # of those beyond
        centre = np.repeat([across, own], [unlike, d - 1 - unlike])
        beyond = centre + sigma * random.standard_normal((nodes, d - 1))
        to_node = (x - near) ** 2
        theirs = to_node + ((near[:, None] - beyond) ** 2).sum(axis=1)
        total -= (to_node + theirs) / d  # in the φ of the node and in that of the neighbour
    return np.asarray(total / (d + 1))
