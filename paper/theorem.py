r"""Theorem 1, checked by simulation: what LocalSim is in expectation, and how far two subgraphs are apart.

.. math::
    E[\phi_i] = -2\sigma^2 - (1 - \lambda_\tau)(\mu_1 - \mu_2)^2, \qquad
    E|\phi_i - \phi_j| \ge |\lambda_1 - \lambda_2| (\mu_1 - \mu_2)^2.

The theorem assumes that every node has exactly its expected numbers of neighbours of both classes: `fixed` units draw
such nodes one by one, with neighbours of their own. `random` units draw whole FSBM graphs, whose degrees vary; nodes
without neighbours have no LocalSim there and are left out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.datasets.fsbm import fsbm, subgraph
from lsgnn.propagate.filters import adjacency
from lsgnn.propagate.similarity import NeighbourSimilarity, edge_similarity
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.theorem_page import render
from paper.theorem_smoothed import compute_smoothed

Array = NDArray[np.float64]
WORLDS = {"paper": {"mu": [1.0, -1.0], "sigma": 1.0}, "other": {"mu": [0.5, -1.0], "sigma": 2.0}}
LAMBDAS = [step / 10 for step in range(11)]
PAIRS = [[0.0, 1.0], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7], [0.5, 1.0], [0.4, 0.6], [0.5, 0.5]]
DEGREE = 10  # of every node, so that each λ above is a whole number of neighbours


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    """Per world: the expectation at every λ and the distance of every pair, for fixed and for random degrees."""
    nodes, graphs, n = (2_000, 4, 400) if plan.quick else (200_000, 200, 1000)
    found = []
    for w, (world, facts) in enumerate(WORLDS.items()):
        fixed = {"lambdas": LAMBDAS, "pairs": PAIRS, "degree": DEGREE, "nodes": nodes, "seed": 100 + w, **facts}
        found.append(PlannedUnit(f"fixed-{world}", fixed))
        random = {"pairs": PAIRS, "degree": DEGREE, "n": n, "graphs": graphs, "seed": 10_000 * (w + 1), **facts}
        found.append(PlannedUnit(f"random-{world}", random))
        mixed = {"lambdas": LAMBDAS, "pair": [0.2, 0.8], "shares": [1.0, 0.9, 0.8, 0.6, 0.5]}
        few = {"degree": DEGREE, "nodes": nodes // 10, "seed": 200 + w, **facts}
        found.append(PlannedUnit(f"smoothed-{world}", mixed | few))
    return found


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    if "shares" in arguments:
        return compute_smoothed(arguments)
    return _fixed(arguments) if "nodes" in arguments else _random(arguments)


def _fixed(arguments: dict[str, Any]) -> dict[str, Any]:
    """Independent nodes with fixed degrees, so that the intervals are those of independent draws."""
    random = np.random.default_rng(arguments["seed"])
    mu, sigma, degree, nodes = (arguments[name] for name in ("mu", "sigma", "degree", "nodes"))

    def draw(lam: float) -> Array:
        return localsim_of_nodes(random, lam, mu, sigma, degree, nodes)

    expectation = [{"lambda": lam, **interval(draw(lam))} for lam in arguments["lambdas"]]
    distance = [{"lambdas": pair, **interval(np.abs(draw(pair[0]) - draw(pair[1])))} for pair in arguments["pairs"]]
    return {"expectation": expectation, "distance": distance}


def localsim_of_nodes(
    random: np.random.Generator, lam: float, mu: list[float], sigma: float, degree: int, nodes: int
) -> Array:
    """φ of independent nodes [nodes] of the first class with λ·degree neighbours of it and the others of the second."""
    alike = round(lam * degree)
    centre = np.repeat([mu[0], mu[1]], [alike, degree - alike])
    x = mu[0] + sigma * random.standard_normal(nodes)
    neighbours = centre + sigma * random.standard_normal((nodes, degree))
    return -np.asarray(((x[:, None] - neighbours) ** 2).mean(axis=1))


def _random(arguments: dict[str, Any]) -> dict[str, Any]:
    """Whole graphs. Nodes of one graph share neighbours, so the intervals are over the means of independent graphs."""
    facts = {name: arguments[name] for name in ("n", "sigma", "degree")} | {"mu": tuple(arguments["mu"])}
    expectation, distance = [], []
    for p, pair in enumerate(arguments["pairs"]):
        means: tuple[list[float], list[float]] = ([], [])
        gaps = []
        for g in range(arguments["graphs"]):
            seed = arguments["seed"] + 1000 * p + g
            phi = localsim_by_subgraph(fsbm(pair[0], pair[1], seed=seed, **facts))
            for mean, values in zip(means, phi, strict=True):
                mean.append(float(values.mean()))
            order = np.random.default_rng(seed)
            size = min(map(len, phi))
            first, second = (order.permutation(values)[:size] for values in phi)
            gaps.append(float(np.abs(first - second).mean()))
        expectation += [{"lambda": lam, **interval(np.array(m))} for lam, m in zip(pair, means, strict=True)]
        distance.append({"lambdas": pair, **interval(np.array(gaps))})
    return {"expectation": expectation, "distance": distance}


def localsim_by_subgraph(graph: Any) -> tuple[Array, Array]:
    """φ of the nodes with neighbours, in each of the two subgraphs, by the code that LSGNN itself uses."""
    A = adjacency(graph, "undirected")
    degree = np.diff(A.indptr)
    pairs = np.stack([np.repeat(np.arange(graph.num_nodes), degree), A.indices])
    phi = NeighbourSimilarity.of(A, edge_similarity(graph.x, pairs, "squared")).naive_localsim().astype(np.float64)
    first = subgraph(graph) == 0
    return phi[first & (degree > 0)], phi[~first & (degree > 0)]


def interval(values: Array) -> dict[str, float]:
    """Mean of independent values and half the width of its 95 % interval."""
    return {"mean": float(values.mean()), "half": 1.96 * float(values.std(ddof=1)) / math.sqrt(len(values))}


EXPERIMENT = Experiment("theorem", "Theorem 1 by simulation", render, units, compute)
