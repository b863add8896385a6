"""chennnM/GCNII: a directed graph read along out-links, self loops of the data kept."""

import math

import torch

from tests.zoo.official.dense import Dense, Weights, linear, plus_identity, sum_to_one, symmetric_norm

SETTINGS = [
    {"direction": "out", "num_layers": 3, "alpha": 0.3, "theta": 0.7, "hidden_channels": 6, "star": star}
    for star in (False, True)
]


def logits(w: Weights, graph: Dense, config):
    P = symmetric_norm(plus_identity(graph.A))
    h0 = h = linear(w, "first", sum_to_one(graph.x)).relu()
    for number in range(1, 4):
        W, theta = w[f"layers.{number - 1}.weight"], math.log(config.theta / number + 1)
        support = r = (1 - config.alpha) * P @ h + config.alpha * h0
        if config.star:
            support = torch.cat([P @ h, h0], dim=1)
        h = (theta * support @ W + (1 - theta) * r).relu()
    return linear(w, "last", h)
