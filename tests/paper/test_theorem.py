"""Theorem 1: the simulation agrees with the formula, and its intervals are what they claim to be."""

from __future__ import annotations

import numpy as np
import pytest

from lsgnn.datasets import fsbm
from paper.theorem import interval, localsim_by_subgraph, localsim_of_nodes
from paper.theorem_page import bound, expected
from paper.theorem_smoothed import blur, smoothed_localsim_of_nodes, smoothed_variance, variance

PAPER = {"mu": [1.0, -1.0], "sigma": 1.0}


def test_the_formulas_of_the_theorem_by_hand() -> None:
    assert expected(1.0, PAPER) == -2.0
    assert expected(0.0, PAPER) == -6.0
    assert bound([0.2, 0.7], PAPER) == pytest.approx(2.0)


def test_expectation_and_bound_hold_for_one_pair() -> None:
    random = np.random.default_rng(0)
    first, second = (localsim_of_nodes(random, lam, [1.0, -1.0], 1.0, 10, 20_000) for lam in (0.8, 0.3))
    for lam, phi in ((0.8, first), (0.3, second)):
        measured = interval(phi)
        assert abs(measured["mean"] - expected(lam, PAPER)) < 1.5 * measured["half"]
    distance = interval(np.abs(first - second))
    assert distance["mean"] - distance["half"] > bound([0.8, 0.3], PAPER)


def test_random_graphs_leave_out_nodes_without_neighbours() -> None:
    graph = fsbm(0.5, 0.5, n=400, degree=1, seed=0)
    first, second = localsim_by_subgraph(graph)
    degree = np.bincount(graph.edge_index[0], minlength=400)
    assert len(first) + len(second) == (degree > 0).sum() < 400
    assert (first < 0).all()


def test_an_interval_is_1_96_standard_errors_wide_on_each_side() -> None:
    values = np.array([1.0, 3.0])
    assert interval(values) == {"mean": 2.0, "half": pytest.approx(1.96 * np.sqrt(2) / np.sqrt(2))}


def test_the_variances_of_the_two_averages_are_those_of_quadratic_forms() -> None:
    """A star of d edges, and a tree of d · (d − 1) more: tr L² and ‖Lμ‖² of their Laplacians, class by class."""
    d, lam = 5, 0.6
    facts = {"mu": [1.0, -2.0], "sigma": 0.7, "degree": d}
    unlike = round((1 - lam) * d)
    mu, weights = [1.0], []
    for j in range(d):
        parent, own = len(mu), -2.0 if j < unlike else 1.0
        mu.append(own)
        weights.append((0, parent, 2.0))
        for k in range(d - 1):
            mu.append(-1.0 - own if k < unlike - (j < unlike) else own)
            weights.append((parent, len(mu) - 1, 1.0))
    for formula, scale, edges in (
        (smoothed_variance, d * (d + 1), weights),
        (variance, d, [(i, j, 1.0) for i, j, _ in weights if i == 0]),
    ):
        L = np.zeros((len(mu), len(mu)))
        for i, j, w in edges:
            L[[i, j], [i, j]] += w / scale
            L[[i, j], [j, i]] -= w / scale
        exact = 2 * 0.7**4 * np.trace(L @ L) + 4 * 0.7**2 * ((L @ np.array(mu)) ** 2).sum()
        assert formula(lam, facts) == pytest.approx(exact)


def test_smoothing_keeps_the_expectation_within_a_subgraph_and_blurs_across_two() -> None:
    facts = PAPER | {"degree": 10, "nodes": 4_000}
    random = np.random.default_rng(0)
    alone = interval(smoothed_localsim_of_nodes(random, 0.8, 0.8, 1.0, facts))
    assert abs(alone["mean"] - expected(0.8, PAPER)) < 1.5 * alone["half"]
    first, second = (smoothed_localsim_of_nodes(random, *pair, 0.7, facts) for pair in ((0.8, 0.2), (0.2, 0.8)))
    gap = interval(first - second)
    assert abs(gap["mean"] - blur(0.7, 10) * bound([0.2, 0.8], PAPER)) < 1.5 * gap["half"]
