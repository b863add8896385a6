"""GemsLab/H2GCN: neighbours and exact two-hop neighbours, each with their own degrees."""

import torch

from tests.zoo.official.dense import Dense, Weights, sum_to_one, symmetric_norm, without_loops

SETTINGS = [{"K": 1, "hidden_channels": 5}, {"K": 2, "hidden_channels": 5, "relu": False}]


def logits(w: Weights, graph: Dense, config):
    A = without_loops(graph.both_ways)
    two = without_loops(((A @ A > 0) & (A == 0)).to(A.dtype))
    near, far = symmetric_norm(A), symmetric_norm(two)
    r = sum_to_one(graph.x) @ w["embed.weight"]
    rounds = [r.relu() if config.relu else r]
    for _ in range(config.K):
        rounds.append(torch.cat([near @ rounds[-1], far @ rounds[-1]], dim=1))
    return torch.cat(rounds, dim=1) @ w["classify.weight"]
