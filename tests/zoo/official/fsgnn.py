"""sunilkmaurya/FSGNN: hops with and without an added identity; a row sum of 0 counts as 1."""

import torch
from torch import Tensor

from tests.zoo.official.dense import Dense, Weights, linear, plus_identity, sum_to_one

SETTINGS = [{"direction": "out", "K": 2, "hidden_channels": 4, "hop_norm": norm} for norm in (True, False)]


def normalised(A: Tensor) -> Tensor:
    degree = A.sum(dim=1)
    scale = torch.where(degree == 0, 1.0, degree) ** -0.5
    return scale[:, None] * A * scale[None, :]


def logits(w: Weights, graph: Dense, config):
    A, P, x = normalised(graph.A), normalised(plus_identity(graph.A)), sum_to_one(graph.x)
    mask, out = torch.softmax(w["hop"], dim=0), []
    for c, hop in enumerate([x, A @ x, P @ x, A @ A @ x, P @ P @ x]):
        h = linear(w, f"linears.{c}", hop)
        if config.hop_norm:
            h = h / h.norm(dim=1, keepdim=True).clamp_min(1e-12)
        out.append(mask[c] * h)
    return linear(w, "out", torch.cat(out, dim=1).relu())
