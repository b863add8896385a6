"""jianhao2016/GPRGNN."""

from tests.zoo.official.dense import Dense, Weights, sum_to_one, symmetric_norm, two_layers, with_one_loop

SETTINGS = [{"K": 3, "hidden_channels": 5}, {"K": 2, "direction": "in", "hidden_channels": 5}]


def logits(w: Weights, graph: Dense, config):
    A = graph.A.t() if config.direction == "in" else graph.both_ways
    P, h = symmetric_norm(with_one_loop(A)), two_layers(w, "mlp", sum_to_one(graph.x))
    out = w["gamma"][0] * h
    for gamma in w["gamma"][1:]:
        h = P @ h
        out = out + gamma * h
    return out
