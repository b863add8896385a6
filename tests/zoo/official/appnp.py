"""gasteigerjo/ppnp: power iteration, no biases."""

from tests.zoo.official.dense import Dense, Weights, sum_to_one, symmetric_norm, two_layers, with_one_loop

SETTINGS = [{"K": 4, "alpha": 0.2, "hidden_channels": 5}]


def logits(w: Weights, graph: Dense, config):
    assert not any(name.endswith("bias") for name in w)
    P, h = symmetric_norm(with_one_loop(graph.both_ways)), two_layers(w, "mlp", sum_to_one(graph.x))
    z = h
    for _ in range(config.K):
        z = (1 - config.alpha) * P @ z + config.alpha * h
    return z
