"""susheels/gnns-and-local-assortativity: the graph's own edges and struc2vec's, each a relation."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from tests.zoo.official.dense import Dense, Weights, without_loops

ALL_OTHERS = 13  # candidates: every other node of the test's graph
SETTINGS = [{"hidden_channels": 4, "rings": 2, "candidates": ALL_OTHERS, "feature_norm": "none"}]


def rings(A: Tensor, node: int, count: int) -> list[list[int]]:
    """The nodes 0, 1, … steps away."""
    seen, found = {node}, [[node]]
    for _ in range(count - 1):
        step = {j for i in found[-1] for j in A[i].nonzero().flatten().tolist()} - seen
        seen |= step
        found.append(sorted(step))
    return found


def warped(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> float:
    """Dynamic time warping of (degree, count) lists, by its definition."""
    if not a or not b:
        return 0.0 if not a and not b else math.inf
    (degree, count), (other, times) = a[-1], b[-1]
    low, high = sorted([degree + 0.5, other + 0.5])
    cost = (high / low - 1) * max(count, times)
    return cost + min(warped(a[:-1], b), warped(a, b[:-1]), warped(a[:-1], b[:-1]))


def degrees(A: Tensor, nodes: list[int]) -> list[tuple[int, int]]:
    found = [int(A[node].sum()) for node in nodes]
    return [(degree, found.count(degree)) for degree in sorted(set(found))]


def structural(A: Tensor, count: int) -> list[Tensor]:
    """For each ring the weights of edges u → v, which sum to one over v."""
    n, out = len(A), []
    around = [[degrees(A, ring) for ring in rings(A, node, count)] for node in range(n)]
    distance = torch.zeros(n, n, dtype=A.dtype)
    for k in range(count):
        for u in range(n):
            for v in range(n):
                a, b = around[u][k], around[v][k]
                distance[u, v] += warped(a, b) if a and b else math.inf
        near = without_loops(torch.exp(-distance))
        out.append(near / near.sum(dim=1, keepdim=True).clamp_min(1e-30))
    return out


def layer(h: Tensor, w: Weights, name: str, relations: list[Tensor]) -> Tensor:
    root, *weights = w[f"{name}.linear.weight"].chunk(len(relations) + 1, dim=1)
    out = h @ root + w[f"{name}.bias"]
    for E, W, (of_i, of_j) in zip(relations, weights, w[f"{name}.attention"], strict=True):
        own = h @ W
        score = F.leaky_relu((own @ of_i)[:, None] + (own @ of_j)[None, :], 0.2)
        share = torch.softmax(score.masked_fill(E.t() == 0, float("-inf")), dim=1).nan_to_num()
        out = out + (E.t() * share) @ own / (E.t() > 0).sum(dim=1, keepdim=True).clamp_min(1)
    return out


def logits(w: Weights, graph: Dense, config):
    relations = [graph.both_ways, *structural(without_loops(graph.both_ways), config.rings)]
    return layer(layer(graph.x, w, "conv1", relations).relu(), w, "conv2", relations)
