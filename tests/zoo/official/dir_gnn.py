"""emalgorithm/directed-graph-neural-network, Dir-GCN: both directions, each with weights of its own."""

import torch

from tests.zoo.official.dense import Dense, Weights, linear

SETTINGS = [
    {"hidden_channels": 4, "num_layers": 3, "alpha": 0.3, "jk": "max"},
    {"hidden_channels": 4, "num_layers": 2, "alpha": 1.0, "jk": "cat", "normalize": True},
    {"hidden_channels": 4, "num_layers": 2, "alpha": 0.5, "jk": "none"},
]


def logits(w: Weights, graph: Dense, config):
    out, into = (torch.where(d > 0, d.clamp_min(1e-30) ** -0.5, 0.0) for d in (graph.A.sum(dim=1), graph.A.sum(dim=0)))
    A = out[:, None] * graph.A * into[None, :]
    x, xs = graph.x / graph.x.sum(dim=1, keepdim=True).clamp_min(1e-30), []
    for number in range(config.num_layers):
        (W_out, W_in), (b_out, b_in) = w[f"convs.{number}.linear.weight"].chunk(2, dim=1), w[f"convs.{number}.bias"]
        x = config.alpha * (A @ x @ W_out + b_out) + (1 - config.alpha) * (A.t() @ x @ W_in + b_in)
        if number < config.num_layers - 1 or config.jk != "none":
            x = x.relu()
            x = x / x.norm(dim=1, keepdim=True).clamp_min(1e-12) if config.normalize else x
        xs.append(x)
    if config.jk == "none":
        return xs[-1]
    return linear(w, "head", torch.cat(xs, dim=1) if config.jk == "cat" else torch.stack(xs).amax(dim=0))
