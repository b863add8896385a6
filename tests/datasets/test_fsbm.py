"""The toy graph has the properties of the paper's definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsgnn.datasets.fsbm import fsbm, subgraph
from lsgnn.errors import InputError
from lsgnn.graph.homophily import edge_homophily


@settings(max_examples=20, deadline=None)
@given(lambda1=st.floats(0, 1), lambda2=st.floats(0, 1), seed=st.integers(0, 1000))
def test_two_subgraphs_with_their_own_homophily(lambda1: float, lambda2: float, seed: int) -> None:
    graph = fsbm(lambda1, lambda2, seed=seed)
    source, target = graph.edge_index
    tau = subgraph(graph)
    assert (tau[source] == tau[target]).all()  # no edges between subgraphs
    assert (source != target).all()
    assert set(map(tuple, graph.edge_index.T)) == set(map(tuple, graph.edge_index[::-1].T))
    for number, lam in enumerate((lambda1, lambda2)):
        inside = graph.edge_index[:, tau[source] == number]
        # 2500 pairs: five standard errors are 0.05, plus the self pairs that are missing from p
        assert edge_homophily(inside, graph.y) == pytest.approx(lam, abs=0.06)
        assert inside.shape[1] / 500 == pytest.approx(10, abs=1.1)


def test_four_cells_of_equal_size() -> None:
    graph = fsbm(0.5, 0.5, n=80)
    assert np.bincount(2 * subgraph(graph) + graph.y).tolist() == [20] * 4


def test_features_have_the_given_mean_and_deviation() -> None:
    graph = fsbm(0.5, 0.5, n=40_000, mu=(3.0, -2.0), sigma=0.5)
    x = np.asarray(graph.x)[:, 0]
    assert graph.x.shape == (40_000, 1)
    for c, mean in enumerate((3.0, -2.0)):
        assert x[graph.y == c].mean() == pytest.approx(mean, abs=0.02)
        assert x[graph.y == c].std() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(("lam", "same"), [(0.0, False), (1.0, True)])
def test_extremes_are_pure(lam: float, same: bool) -> None:
    graph = fsbm(lam, lam)
    assert ((graph.y[graph.edge_index[0]] == graph.y[graph.edge_index[1]]) == same).all()


def test_probability_one_gives_the_complete_cells() -> None:
    graph = fsbm(1.0, 1.0, n=40, degree=10)  # p = 4 · 10 / 40 · 1
    assert graph.num_edges == 4 * 10 * 9


def test_seed_decides() -> None:
    first, again, other = fsbm(0.8, 0.3, seed=1), fsbm(0.8, 0.3, seed=1), fsbm(0.8, 0.3, seed=2)
    assert np.array_equal(first.x, again.x)
    assert np.array_equal(first.edge_index, again.edge_index)
    assert not np.array_equal(first.x, other.x)
    assert first.splits is not None
    assert len(first.splits) == 10


def test_every_pair_is_as_likely_as_any_other() -> None:
    counts = np.zeros((5, 5))
    for seed in range(400):
        edges = fsbm(1.0, 1.0, n=20, degree=2.5, seed=seed).edge_index
        inside = edges[:, (edges < 5).all(axis=0)]
        np.add.at(counts, tuple(inside), 1)
    pairs = counts[~np.eye(5, dtype=bool)]
    assert pairs.min() > 150  # 400 draws with p = 1/2
    assert pairs.max() < 250


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"lambda1": 1.5}, "lambda1=1.5 is out of range"),
        ({"lambda2": float("nan")}, "lambda2=nan is out of range"),
        ({"n": 10}, "n=10 cannot be cut"),
        ({"degree": 300}, "degree=300 is out of range: it must be positive and at most n/4 = 250"),
        ({"sigma": -1}, "sigma=-1 is out of range"),
    ],
)
def test_impossible_graphs_are_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        fsbm(**({"lambda1": 0.5, "lambda2": 0.5} | wrong))  # type: ignore[arg-type]
