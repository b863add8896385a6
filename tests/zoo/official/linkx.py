"""CUAI/Non-Homophily-Large-Scale: an MLP of the adjacency beside one of the features."""

import torch
from torch import Tensor

from tests.zoo.official.dense import Dense, Weights, batch_norm, linear

SETTINGS = [
    {"hidden_channels": 4, "feature_norm": "none"},
    {
        **{"hidden_channels": 4, "feature_norm": "none", "direction": "out"},
        **{"num_layers": 2, "num_edge_layers": 2, "num_node_layers": 2},
    },
]


def mlp(w: Weights, name: str, h: Tensor, layers: int) -> Tensor:
    for number in range(layers - 1):
        h = batch_norm(w, f"{name}.norms.{number}", linear(w, f"{name}.layers.{number}", h).relu())
    return linear(w, f"{name}.layers.{layers - 1}", h)


def logits(w: Weights, graph: Dense, config):
    A = graph.A if config.direction == "out" else graph.both_ways
    h_A = mlp(w, "edge_mlp", A, config.num_edge_layers)
    h_X = mlp(w, "node_mlp", graph.x, config.num_node_layers)
    h = (linear(w, "mix", torch.cat([h_A, h_X], dim=1)) + h_A + h_X).relu()
    return mlp(w, "final_mlp", h, config.num_layers)
