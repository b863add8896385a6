"""Geom-GCN on a neighbourhood file of its own format: two layers over nine groups of edges."""

from pathlib import Path

import torch
from torch import Tensor

from tests.zoo.official.dense import Dense, Weights, sum_to_one

FILE = Path(__file__).with_name("geom_gcn_neighbourhoods.txt")
SETTINGS = [{"neighbourhood_file": str(FILE), "hidden_channels": 3}]


def edges_by_group(n: int) -> dict[tuple[int, int], int]:
    """Source, target → group: a later line of the file overrides an earlier one, and self loops override all."""
    found = {}
    for line in FILE.read_text("utf-8").splitlines()[1:]:
        nodes, space, relation = line.split("\t")
        source, target = map(int, nodes.split(","))
        found[source, target] = 4 * ["graph", "latent_space"].index(space) + int(relation)
    return {**found, **{(node, node): 8 for node in range(n)}}


def layer(h: Tensor, weight: Tensor, edges: dict[tuple[int, int], int]) -> list[Tensor]:
    n = len(h)
    degree = torch.zeros(n, dtype=h.dtype)
    for _, target in edges:
        degree[target] += 1
    norm = degree**-0.5
    out = []
    for group, W in enumerate(weight.chunk(9, dim=1)):
        total = torch.zeros(n, W.shape[1], dtype=h.dtype)
        for (source, target), own in edges.items():
            if own == group:
                total[target] += norm[source] * (h[source] @ W)
        out.append(norm[:, None] * total)
    return out


def logits(w: Weights, graph: Dense, config):
    edges = edges_by_group(len(graph.x))
    h = torch.cat(layer(sum_to_one(graph.x), w["conv1.linear.weight"], edges), dim=1).relu()
    return torch.stack(layer(h, w["conv2.linear.weight"], edges)).mean(dim=0)
