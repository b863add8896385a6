"""bdy9527/FAGCN: a gate with a bias on every edge of the symmetrised graph, without self loops."""

import torch

from tests.zoo.official.dense import Dense, Weights, linear, sum_to_one, without_loops

SETTINGS = [{"hidden_channels": 4, "eps": 0.4, "num_layers": 2}]


def logits(w: Weights, graph: Dense, config):
    A = without_loops(graph.both_ways)
    d = A.sum(dim=1).clamp_min(1) ** -0.5
    h = raw = linear(w, "first", sum_to_one(graph.x)).relu()
    for number in range(config.num_layers):
        gate, bias = w[f"layers.{number}.gate.weight"][0], w[f"layers.{number}.gate.bias"]
        z = torch.zeros_like(h)
        for i, j in A.nonzero().tolist():
            g = torch.tanh(gate @ torch.cat([h[i], h[j]]) + bias)
            z[i] += g * d[i] * d[j] * h[j]
        h = config.eps * raw + z
    return linear(w, "last", h)
