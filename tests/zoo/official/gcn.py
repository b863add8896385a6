"""tkipf/gcn, on graphs whose self loops count once."""

from tests.zoo.official.dense import Dense, Weights, sum_to_one, symmetric_norm, with_one_loop

SETTINGS = [{}]


def logits(w: Weights, graph: Dense, config):
    P = symmetric_norm(with_one_loop(graph.both_ways))
    return P @ (P @ sum_to_one(graph.x) @ w["layers.0.weight"]).relu() @ w["layers.1.weight"]
