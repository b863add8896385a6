"""draym28/LSGNN as released: degrees of A + I, LocalSim over incoming edges with the self loops of the data."""

import torch
from torch import Tensor
from torch.nn import functional as F

from tests.zoo.official.dense import Dense, Weights, without_loops

COMMON = {"direction": "out", "K": 3, "hidden_channels": 4, "localsim_direction": "in", "localsim_self_loops": True}
SETTINGS = [
    {**COMMON, "beta": 0.3, "gamma": 0.7, "similarity": "cosine"},
    {**COMMON, "beta": 1.0, "gamma": 0.5, "similarity": "euclidean", "out_norm": False},
]


def unit(h: Tensor) -> Tensor:
    return h / h.norm(dim=-1, keepdim=True).clamp_min(1e-12)


def perceptron(w: Weights, name: str, value: Tensor) -> Tensor:
    h = torch.stack([value, value**2], dim=-1)
    h = F.silu(h @ w[f"{name}.0.weight"].t() + w[f"{name}.0.bias"])
    return h @ w[f"{name}.2.weight"].t() + w[f"{name}.2.bias"]


def residual_difference(S: Tensor, x: Tensor, K: int, gamma: float) -> list[Tensor]:
    hops = [S @ x]
    for _ in range(K - 1):
        hops.append(S @ ((1 - gamma) * x - gamma * sum(hops)))
    return hops


def logits(w: Weights, graph: Dense, config):
    x, A, K = unit(graph.x), without_loops(graph.A), config.K
    eye = torch.eye(len(A), dtype=A.dtype)
    scale = (A.sum(dim=1) + 1) ** -0.5
    low = config.beta * eye + scale[:, None] * A * scale[None, :]
    channels = [x, *residual_difference(low, x, K, config.gamma), *residual_difference(eye - low, x, K, config.gamma)]
    reduced = [unit(h @ W).relu() for h, W in zip(channels, w["reduce.weights.0"], strict=True)]
    phi = torch.zeros(len(A), dtype=A.dtype)
    for i in range(len(A)):
        incoming = graph.A[:, i].nonzero().flatten()
        if len(incoming):
            cosine = config.similarity == "cosine"
            s = x[incoming] @ x[i] if cosine else config.euclid_sign * (x[incoming] - x[i]).norm(dim=1)
            phi[i] = perceptron(w, "fusion.weights.localsim.mlp", s).mean()
    alpha = perceptron(w, "fusion.weights.mlp", phi).reshape(len(A), K, 3, 1)
    I, L, H = reduced[0], reduced[1 : 1 + K], reduced[1 + K :]
    blocks = [I, *(alpha[:, k, 0] * I + alpha[:, k, 1] * L[k] + alpha[:, k, 2] * H[k] for k in range(K))]
    h = torch.cat([unit(block) for block in blocks] if config.out_norm else blocks, dim=1)
    return h @ w["head.weight"].t() + w["head.bias"]
