"""Theorem 1: the simulation agrees with the formula, and its intervals are what they claim to be."""

from __future__ import annotations

import numpy as np
import pytest

from lsgnn.datasets import fsbm
from paper.theorem import interval, localsim_by_subgraph, localsim_of_nodes
from paper.theorem_page import bound, expected

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
