"""The columns of a node: its own, log degrees, and means over its neighbours, hop by hop and each way."""

import torch
from torch import Tensor

from tests.zoo.official.dense import Dense, Weights, without_loops

TRAINED = True
SETTINGS = [{"hops": 2, "epochs": 3, "min_samples_leaf": 1}, {"hops": 0, "epochs": 3}]


def mean_over_neighbours(A: Tensor, h: Tensor) -> Tensor:
    """Of those whose value is known; missing where there is none."""
    out = torch.full_like(h, float("nan"))
    for i in range(len(A)):
        of = h[A[i] > 0]
        for column in range(h.shape[1]):
            known = of[:, column][~of[:, column].isnan()]
            if len(known):
                out[i, column] = known.mean()
    return out


def table(graph: Dense, hops: int) -> Tensor:
    A = without_loops(graph.A)
    ways = [A, A.t()]
    own = torch.cat([graph.x, torch.stack([way.sum(dim=1).log1p() for way in ways], dim=1)], dim=1)
    blocks = [own]
    for way in ways:
        h = own
        for _ in range(hops):
            h = mean_over_neighbours(way, h)
            blocks.append(h)
    return torch.cat(blocks, dim=1)


def logits(w: Weights, graph: Dense, config):
    rows = table(graph, config.hops).float().double()  # values as wide as those that the thresholds were drawn between
    scores = w["trees.baseline"].repeat(len(rows), 1)
    for number, root in enumerate(w["trees.root"].tolist()):
        column = w["trees.classes"][number % len(w["trees.classes"])]
        for i, row in enumerate(rows):
            node, last = root, -1
            while node != last:
                value = row[w["trees.feature"][node]]
                left = w["trees.missing_left"][node] if value.isnan() else value <= w["trees.threshold"][node]
                last, node = node, int(w["trees.child"][node][0 if left else 1])
            scores[i, column] += w["trees.value"][node]
    return scores
