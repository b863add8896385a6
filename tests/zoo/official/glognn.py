"""RecklessRonan/GloGNN, small scale: Z* in its n × n form, and ++ as its linear-time code orders it."""

import torch
from torch import Tensor

from tests.zoo.official.dense import Dense, Weights, linear, plus_identity, row_norm, sum_to_one

COMMON = {"hidden_channels": 5, "hops": 3, "alpha": 0.4, "beta": 0.9, "gamma": 0.3, "delta": 0.6}
SETTINGS = [COMMON, {**COMMON, "plus_plus": True}]


def powers(w: Weights, A: Tensor) -> Tensor:
    return sum(lam * torch.linalg.matrix_power(A, k) for k, lam in enumerate(w["conv.lam"], start=1))


def plain(H: Tensor, H0: Tensor, w: Weights, A: Tensor, config) -> Tensor:
    keep, eye = 1 - config.gamma, torch.eye(len(A), dtype=A.dtype)
    left = keep * H @ H.t() + config.beta * powers(w, A) - config.gamma * keep * H0 @ H.t()
    Z = left @ torch.linalg.inv(keep**2 * H @ H.t() + (config.alpha + config.beta) * eye)
    return keep * Z @ H + config.gamma * H0


def plus_plus(H: Tensor, H0: Tensor, w: Weights, A: Tensor, config) -> Tensor:
    c, keep, theta = 1 / (config.alpha + config.beta), 1 - config.gamma, w["conv.theta"]
    gram = H.t() @ H
    inverse = torch.linalg.inv(torch.eye(len(gram), dtype=A.dtype) / keep**2 + c * gram)
    Q = (keep * c * H - keep * c**2 * H @ (inverse @ gram)) * theta
    T = theta[:, None] * (H.t() @ Q)
    return keep * H @ T + config.beta * powers(w, A) @ Q - config.gamma * keep * H0 @ T + config.gamma * H0


def logits(w: Weights, graph: Dense, config):
    A = row_norm(plus_identity(graph.both_ways))
    of_x, of_A = linear(w, "from_x", sum_to_one(graph.x)), linear(w, "from_adj", A)
    H = H0 = linear(w, "out", (config.delta * of_x + (1 - config.delta) * of_A).relu())
    for _ in range(config.num_layers):
        H = (plus_plus if config.plus_plus else plain)(H, H0, w, A, config)
    return H
