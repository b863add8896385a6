"""divelab/DeeperGNN."""

from tests.zoo.official.dense import Dense, Weights, sum_to_one, symmetric_norm, two_layers, with_one_loop

SETTINGS = [{"K": 3, "hidden_channels": 5}]


def logits(w: Weights, graph: Dense, config):
    P, h = symmetric_norm(with_one_loop(graph.both_ways)), two_layers(w, "mlp", sum_to_one(graph.x))
    out = 0.0
    for _ in range(config.K + 1):
        out = out + (h @ w["retain.weight"].t() + w["retain.bias"]).sigmoid() * h
        h = P @ h
    return out
