"""SitaoLuan/ACM-GNN: plain, + (a structure channel) and ++ (a residual as well)."""

import torch
from torch import Tensor

from tests.zoo.official.dense import Dense, Weights, linear, plus_identity, row_norm, sum_to_one

SETTINGS = [{"hidden_channels": 4, "variant": variant} for variant in ("plain", "+", "++")]


def layer(h: Tensor, w: Weights, name: str, low: Tensor, A: Tensor) -> Tensor:
    W_low, W_high, W_mlp = w[f"{name}.linear.weight"].chunk(3, dim=1)
    high = torch.eye(len(A), dtype=A.dtype) - low
    channels = [(low @ h @ W_low).relu(), (high @ h @ W_high).relu(), (h @ W_mlp).relu()]
    scale = 3
    if f"{name}.structure.weight" in w:
        channels.append((A @ w[f"{name}.structure.weight"]).relu())
        scale = 1
    scores = torch.stack([channel @ v for channel, v in zip(channels, w[f"{name}.v"], strict=True)], dim=1)
    attention = torch.softmax(scores.sigmoid() @ w[f"{name}.mix"] / len(channels), dim=1)
    return scale * sum(attention[:, [c]] * channel for c, channel in enumerate(channels))


def logits(w: Weights, graph: Dense, config):
    A = graph.both_ways
    low, x = row_norm(plus_identity(A)), sum_to_one(graph.x)
    h = layer(x, w, "conv1", low, A).relu()
    if config.variant == "++":
        h = h + linear(w, "residual", x).relu()
    return layer(h, w, "conv2", low, A)
