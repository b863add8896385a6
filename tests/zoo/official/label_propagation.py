"""F = (αS)ᴷ Y + (1 − α) Σ_{k<K} (αS)ᵏ Y, S = D^-1/2 A D^-1/2 of the undirected graph; shares of the rows."""

import torch
from torch.nn import functional as F

from tests.zoo.official.dense import Dense, Weights, without_loops

TRAINED = True
SETTINGS = [{}, {"K": 1}, {"search": False, "alpha": 0.7, "K": 3}]


def logits(w: Weights, graph: Dense, config):
    A = without_loops(graph.A)
    A = torch.maximum(A, A.T)
    degree = A.sum(dim=1)
    scale = torch.where(degree > 0, degree, 1.0).rsqrt()
    S = w["alpha"] * scale[:, None] * A * scale[None]
    known = F.one_hot(graph.y, len(w["prior"])).to(A.dtype) * graph.train[:, None]
    reached, step = torch.zeros_like(known), known
    for _ in range(config.K):
        reached, step = reached + (1 - w["alpha"]) * step, S @ step
    reached = reached + step
    prior = known.sum(dim=0) / known.sum()
    return ((reached + 1e-3 * prior) / (reached.sum(dim=1, keepdim=True) + 1e-3)).log()
