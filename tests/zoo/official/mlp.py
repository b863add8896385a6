"""The MLP of the H2GCN paper."""

from tests.zoo.official.dense import Dense, Weights, linear, sum_to_one

SETTINGS = [{}, {"relu": False}]


def logits(w: Weights, graph: Dense, config):
    h = linear(w, "mlp.layers.0", sum_to_one(graph.x))
    return linear(w, "mlp.layers.1", h.relu() if config.relu else h)
