"""LocalSim on a grid of similarities: exact for lines, within its bound for curves, untouched where values are few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lsgnn.propagate.similarity import NeighbourSimilarity
from lsgnn.train.fused import train_cpu
from lsgnn.train.fused.similarity_table import POINTS, on_grid
from tests.train.fused.problems import make_problem


def many(seed: int, n: int = 50, each: int = 10) -> NeighbourSimilarity:
    random = np.random.default_rng(seed)
    neighbours = sp.random_array((n, n), density=each / n, format="csr", random_state=random)
    neighbours.data[:] = 1
    return NeighbourSimilarity.of(sp.csr_array(neighbours), random.uniform(-1, 1, neighbours.nnz).astype(np.float32))


def test_by_hand() -> None:
    """Similarities 0, 0.4, 0.5, 1 on the points 0, 0.5, 1: 0.4 gives a fifth to 0 and the rest to 0.5."""
    neighbours = sp.csr_array(np.array([[1, 1], [1, 1]], np.float32))
    similarity = NeighbourSimilarity.of(neighbours, np.array([0, 0.4, 0.5, 1], np.float32))

    grid = on_grid(similarity, points=3)

    np.testing.assert_allclose(grid.values, [0, 0.5, 1])
    np.testing.assert_allclose(grid.share.toarray(), [[0.6, 0.4, 0], [0, 0.5, 0.5]], atol=1e-6)
    assert grid.scale == similarity.scale  # of the similarities themselves, not of the grid


@given(st.integers(0, 1000), st.sampled_from([5, 17, 65]), st.floats(0.5, 5))
def test_a_curve_is_off_by_no_more_than_the_bound(seed: int, points: int, steepness: float) -> None:
    exact = many(seed)
    grid = on_grid(exact, points)
    h = float(exact.values.max() - exact.values.min()) / (points - 1)

    def phi(similarity: NeighbourSimilarity) -> np.ndarray:
        return similarity.share @ np.sin(steepness * similarity.values.astype(np.float64))

    assert np.abs(phi(exact) - phi(grid)).max() <= h**2 / 8 * steepness**2 + 1e-6
    np.testing.assert_allclose(exact.naive_localsim(), grid.naive_localsim(), atol=1e-6)  # a line is exact


def test_few_values_stay_as_they_are() -> None:
    few = many(0)

    assert len(few.values) <= POINTS
    assert on_grid(few) is few


@pytest.mark.parametrize("settings", [{}, dict(localsim_scale="standard", localsim_hops=2, localsim_degree=True)])
def test_a_training_on_the_grid_equals_the_exact_one(settings: dict[str, Any]) -> None:
    problem = make_problem(n=400, dense=True, d=30, epochs=15, dropout=0.0, **settings)
    assert len(problem.pre.similarity.values) > 800
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lsgnn.train.fused.similarity_table.on_grid.__defaults__", (257,))
        args = (problem.pre, problem.y, problem.split, problem.config, problem.initial)
        exact, grid = train_cpu(*args, exact=True), train_cpu(*args)

    assert grid.history != exact.history  # the grid was used
    for a, b in zip(exact.history, grid.history, strict=True):
        assert a == pytest.approx(b, abs=1e-4)


def test_similarities_that_are_not_known_yet_are_left_alone() -> None:
    unknown = NeighbourSimilarity.unknown(sp.csr_array(np.ones((3, 3), np.float32)))
    assert on_grid(unknown, points=5) is unknown
    np.testing.assert_allclose(unknown.share.sum(axis=1), 1, rtol=1e-6)
    assert unknown.share.indices.tolist() == list(range(9))
