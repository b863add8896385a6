"""Yujun-Yan/Heterophily_and_oversmoothing: dense, with all self loops in the normalised adjacency."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from tests.zoo.official.dense import Dense, Weights, linear, plus_identity, sum_to_one, symmetric_norm

SETTINGS = [{"direction": "out", "num_layers": 3, "eta": 0.7, "hidden_channels": 4}]


def layer(h: Tensor, w: Weights, name: str, A: Tensor) -> Tensor:
    ratio = A.diagonal()[:, None] / A.clamp_min(1e-9) - 1
    sc = F.softplus(w[f"{name}.degree"][0] * ratio + w[f"{name}.degree"][1])
    Wh = linear(w, f"{name}.linear", h)
    dots = Wh @ Wh.t()
    sizes = (dots.diagonal()[:, None] * dots.diagonal()[None, :]).sqrt().clamp_min(1e-9)
    e = (dots / sizes).fill_diagonal_(0)
    M = torch.where(A > 0, e * A * sc, 0.0)
    c = torch.softmax(w[f"{name}.share"], dim=0)
    return F.softplus(w[f"{name}.scale"]) * (c[0] * M.relu() @ Wh - c[1] * (-M).relu() @ Wh + c[2] * Wh)


def logits(w: Weights, graph: Dense, config):
    A, x = symmetric_norm(plus_identity(graph.A)), sum_to_one(graph.x)
    previous = F.elu(linear(w, "first", x))
    inner = layer(x, w, "convs.0", A)
    for i in range(config.num_layers - 1):
        share = 1.0 if i == 0 else math.log(config.eta / (i + 2) ** config.exponent + 1)
        previous = previous + share * F.elu(inner)
        inner = layer(previous, w, f"convs.{i + 1}", A)
    return inner
