r"""IRDC, the Initial Residual Difference Connection (equation 4), and its relatives of the paper's appendix.

.. math::
    H^{(1)} = S X, \qquad H^{(k)} = S\Big((1-\gamma) X - \gamma \sum_{l<k} H^{(l)}\Big), \quad k = 2 \dots K.

Every rule here is linear in X and needs nothing of X but sums, multiples and "S times": the same few lines run on
matrices and on polynomials in Â. Run on polynomials they yield the mixing matrix M of the power basis
:math:`P_s = \hat A^s X`, with :math:`H^{(k)} = \sum_s M_{ks} P_s`: K sparse products serve every β, γ and K' ≤ K.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import Propagation
from lsgnn.propagate.filters import LinearFilter

Linear: TypeAlias = Any  # a matrix [n, d] or a polynomial in Â: whatever can be added and scaled
Step: TypeAlias = Callable[[Linear], Linear]  # multiplies by the filter S

MAX_BASIS_K = 16  # beyond it float32 power bases lose digits (error 2e-5 at 16): use the recurrence


def irdc(S: Step, x: Linear, K: int, gamma: float) -> list[Linear]:
    """H(1) … H(K) as the paper defines them."""
    hops = [S(x)]
    total = hops[0]
    for _ in range(1, K):
        hops.append(S((1 - gamma) * x - gamma * total))
        total = total + hops[-1]
    return hops


def irdc_two_term(S: Step, x: Linear, K: int, gamma: float) -> list[Linear]:
    """The same without the running sum: H(2) = (1-γ)H(1) - γSH(1), then H(k+1) = H(k) - γSH(k)."""
    hops = [S(x)]
    for k in range(1, K):
        share = 1 - gamma if k == 1 else 1.0
        hops.append(share * hops[-1] - gamma * S(hops[-1]))
    return hops


def powers(S: Step, x: Linear, K: int) -> list[Linear]:
    """SGC: Z(k) = S Z(k-1)."""
    hops = [S(x)]
    for _ in range(1, K):
        hops.append(S(hops[-1]))
    return hops


def initial_residual(S: Step, x: Linear, K: int, alpha: float) -> list[Linear]:
    """APPNP, and GCNII without its weights: Z(k) = (1-α) S Z(k-1) + α X."""
    hops = [x]
    for _ in range(K):
        hops.append((1 - alpha) * S(hops[-1]) + alpha * x)
    return hops[1:]


def difference_residual(S: Step, x: Linear, K: int) -> list[Linear]:
    """DRC: Z(k) = S (Z(k-2) - Z(k-1)), starting from Z(0) = X and Z(1) = S X."""
    hops = [x, S(x)]
    for _ in range(1, K):
        hops.append(S(hops[-2] - hops[-1]))
    return hops[1:]


def propagate(rule: Propagation, S: Step, x: Linear, K: int, gamma: float) -> list[Linear]:
    """Hops 1 … K by the named rule."""
    if rule == "irdc":
        return irdc_two_term(S, x, K, gamma)
    if rule == "initial_residual":
        return initial_residual(S, x, K, gamma)
    return difference_residual(S, x, K) if rule == "drc" else powers(S, x, K)


def mixing_matrix(rule: Propagation, K: int, gamma: float, filters: tuple[LinearFilter, ...]) -> NDArray[np.float64]:
    """Coefficients of Â^s in hop k of each filter [len(filters), K, K+1]: the rule run on polynomials in Â."""
    one = np.zeros(K + 1)
    one[0] = 1.0

    def multiply_by(filter: LinearFilter) -> Step:
        return lambda p: filter.a * p + filter.b * np.concatenate([[0.0], p[:-1]])

    return np.stack([np.stack(propagate(rule, multiply_by(f), one, K, gamma)) for f in filters])
