"""GemsLab/CPGNN: linear belief propagation over the adjacency as it is, without self loops."""

import torch

from tests.zoo.official.dense import Dense, Weights, sum_to_one, two_layers, without_loops

SETTINGS = [{"rounds": 1, "hidden_channels": 5}, {"rounds": 2, "hidden_channels": 5}]


def logits(w: Weights, graph: Dense, config):
    assert not any(name.endswith("bias") for name in w)
    A, H = without_loops(graph.both_ways), w["H"]
    E = B = torch.softmax(two_layers(w, "prior", sum_to_one(graph.x)), dim=1) - 1 / len(H)
    for _ in range(config.rounds):
        B = E + A @ (B @ H)
    return B + 1 / len(H)
