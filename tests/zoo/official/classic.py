"""LUOyk1999/tunedGNN: self loops removed and added, then layers of one convolution."""

import torch
from torch import Tensor
from torch.nn import functional as F

from tests.zoo.official.dense import Dense, Weights, batch_norm, linear, row_norm, symmetric_norm, with_one_loop
from tests.zoo.official.gat import attend

COMMON = {"hidden_channels": 6, "num_layers": 2, "feature_norm": "none"}
SETTINGS = [
    {**COMMON, "conv": "gcn", "norm": "batch"},
    {**COMMON, "conv": "sage", "norm": "layer", "jk": True},
    {**COMMON, "conv": "gat", "norm": "none", "heads": 2, "residual": False, "pre_linear": True},
]


def conv(w: Weights, name: str, h: Tensor, A: Tensor, config) -> Tensor:
    if config.conv == "gcn":
        return symmetric_norm(A) @ h @ w[f"{name}.lin.weight"] + w[f"{name}.lin.bias"]
    if config.conv == "sage":
        return linear(w, f"{name}.lin", row_norm(A) @ h) + h @ w[f"{name}.own.weight"]
    to, of = w[f"{name}.attention"]
    parts = (h @ w[f"{name}.lin.weight"]).chunk(config.heads, dim=1)
    return torch.cat([attend(part, to[k], of[k], A) for k, part in enumerate(parts)], dim=1)


def logits(w: Weights, graph: Dense, config):
    A, x, total = with_one_loop(graph.both_ways), graph.x, 0.0
    if config.pre_linear:
        x = linear(w, "pre", x)
    for number in range(config.num_layers):
        h = conv(w, f"convs.{number}", x, A, config)
        if config.residual:
            h = h + linear(w, f"residuals.{number}", x)
        if config.norm == "batch":
            h = batch_norm(w, f"norms.{number}", h)
        if config.norm == "layer":
            h = F.layer_norm(h, h.shape[1:], w[f"norms.{number}.weight"], w[f"norms.{number}.bias"])
        x = h.relu()
        total = total + x if config.jk else x
    return linear(w, "head", total)
