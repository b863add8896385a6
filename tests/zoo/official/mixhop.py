"""samihaija/mixhop with powers 0, 1, 2 and the psum head."""

import torch
from torch import Tensor

from tests.zoo.official.dense import Dense, Weights, batch_norm, linear, symmetric_norm, with_one_loop

SETTINGS = [{"hidden_channels": 5}, {"hidden_channels": 5, "head": "linear"}]


def layer(w: Weights, name: str, h: Tensor, P: Tensor) -> list[Tensor]:
    return [torch.linalg.matrix_power(P, p) @ h @ w[f"{name}.linears.{p}.weight"] for p in range(3)]


def logits(w: Weights, graph: Dense, config):
    P = symmetric_norm(with_one_loop(graph.both_ways))
    x = graph.x / graph.x.norm(dim=1, keepdim=True).clamp_min(1e-12)
    h = batch_norm(w, "norm", torch.cat(layer(w, "first", x, P), dim=1)).relu()
    segments = layer(w, "second", h, P)
    if config.head == "linear":
        return linear(w, "linear", torch.cat(segments, dim=1))
    q = torch.softmax(w["q"], dim=0)
    return q[0] * segments[0] + q[1] * segments[1] + q[2] * segments[2]
