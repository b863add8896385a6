"""IRDC by definition, by its two-term form and by power basis and mixing matrix: one thing in three ways."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn.propagate.filters import LinearFilter, filter_pair
from lsgnn.propagate.irdc import (
    difference_residual,
    initial_residual,
    irdc,
    irdc_two_term,
    mixing_matrix,
    powers,
    propagate,
)

UNIT = st.floats(0, 1)


def random_filter(seed: int, n: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """A symmetric matrix of spectral radius one, and features."""
    random = np.random.default_rng(seed)
    A = random.random((n, n))
    A = A + A.T
    return A / np.abs(np.linalg.eigvalsh(A)).max(), random.standard_normal((n, 3))


@given(gamma=UNIT, beta=UNIT, K=st.integers(1, 8), seed=st.integers(0, 99))
def test_the_two_term_form_equals_the_definition(gamma: float, beta: float, K: int, seed: int) -> None:
    A, X = random_filter(seed)
    for a, b in filter_pair("weighted_self_loop", beta):
        S = (a * np.eye(len(A)) + b * A).__matmul__
        for by_definition, two_term in zip(irdc(S, X, K, gamma), irdc_two_term(S, X, K, gamma), strict=True):
            assert np.allclose(by_definition, two_term, atol=1e-9)


def test_one_step_by_hand() -> None:
    hops = irdc(lambda H: 2 * H, np.array([1.0]), K=3, gamma=0.5)  # S = 2, X = 1
    assert [h.item() for h in hops] == [2, 2 * (0.5 - 0.5 * 2), 2 * (0.5 - 0.5 * (2 - 1))]


@given(seed=st.integers(0, 99), K=st.integers(2, 6))
def test_without_residual_every_hop_is_the_first(seed: int, K: int) -> None:
    A, X = random_filter(seed)
    hops = irdc(lambda H: A @ H, X, K, gamma=0.0)
    assert all(np.allclose(h, A @ X) for h in hops)


@given(seed=st.integers(0, 99), gamma=UNIT)
def test_one_hop_is_a_plain_product(seed: int, gamma: float) -> None:
    A, X = random_filter(seed)
    assert np.allclose(irdc(lambda H: A @ H, X, 1, gamma)[0], A @ X)


@given(seed=st.integers(0, 99))
def test_full_residual_keeps_the_input_only_in_the_first_hop(seed: int) -> None:
    A, X = random_filter(seed)
    hops, rest = irdc(lambda H: A @ H, X, 5, gamma=1.0), np.eye(len(A)) - A
    for k in range(2, 6):
        assert np.allclose(hops[k - 1], -np.linalg.matrix_power(rest, k - 2) @ A @ A @ X, atol=1e-9)


@pytest.mark.parametrize("rule", ["irdc", "power", "initial_residual", "drc"])
@given(gamma=UNIT, beta=UNIT, K=st.integers(1, 7), seed=st.integers(0, 50))
def test_basis_and_mixing_matrix_equal_the_rule(rule: str, gamma: float, beta: float, K: int, seed: int) -> None:
    A, X = random_filter(seed)
    basis = [np.linalg.matrix_power(A, s) @ X for s in range(K + 1)]
    pair = filter_pair("weighted_self_loop", beta)
    M = mixing_matrix(rule, K, gamma, pair)
    assert M.shape == (2, K, K + 1)
    for c, (a, b) in enumerate(pair):
        S = a * np.eye(len(A)) + b * A
        for k, hop in enumerate(propagate(rule, lambda H, S=S: S @ H, X, K, gamma)):
            assert np.allclose(hop, sum(M[c, k, s] * basis[s] for s in range(K + 1)), atol=1e-8)


def test_the_other_residual_connections_by_hand() -> None:
    two, x = (lambda H: 2 * H), np.array([1.0])
    assert [h.item() for h in powers(two, x, 3)] == [2, 4, 8]
    assert [h.item() for h in initial_residual(two, x, 2, alpha=0.25)] == [1.75, 0.75 * 2 * 1.75 + 0.25]
    assert [h.item() for h in difference_residual(two, x, 3)] == [2, 2 * (1 - 2), 2 * (2 - -2)]


def test_every_rule_goes_by_its_name() -> None:
    def hops(rule: str) -> list[float]:
        return [h.item() for h in propagate(rule, lambda H: 2 * H, np.array([1.0]), 3, 0.25)]

    assert hops("irdc") == [2, 2 * (0.75 - 0.25 * 2), 2 * (0.75 - 0.25 * 2.5)]
    assert hops("initial_residual") == [1.75, 0.75 * 2 * 1.75 + 0.25, 0.75 * 2 * 2.875 + 0.25]
    assert hops("drc") == [2, -2, 8]
    assert hops("power") == [2, 4, 8]


def test_a_filter_is_a_pair_of_numbers() -> None:
    assert mixing_matrix("power", 2, 0.0, (LinearFilter(0.0, 1.0),)).tolist() == [[[0, 1, 0], [0, 0, 1]]]
