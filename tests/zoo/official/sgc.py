"""Tiiiger/SGC: the identity is added to whatever diagonal there is."""

from tests.zoo.official.dense import Dense, Weights, linear, plus_identity, sum_to_one, symmetric_norm

SETTINGS = [{"K": 2}, {"K": 3}]


def logits(w: Weights, graph: Dense, config):
    S, h = symmetric_norm(plus_identity(graph.both_ways)), sum_to_one(graph.x)
    for _ in range(config.K):
        h = S @ h
    return linear(w, "linear", h)
