"""Helpers of the tests: a small graph's filter as a dense matrix, and modules whose weights are copied over."""

import numpy as np
import torch
from torch import Tensor, nn

from lsgnn import zoo
from lsgnn.graph.graph import Graph
from tests.graphs import random_graph

GRAPH = random_graph()


def dense_gcn_filter(graph: Graph, direction: str = "undirected") -> Tensor:
    """P̂ = D̃^-1/2 (A + I) D̃^-1/2 in textbook form, the data's self loops left out."""
    n = graph.num_nodes
    A = np.zeros((n, n))
    source, target = graph.edge_index
    A[source, target] = 1.0
    A = {"out": A, "in": A.T, "undirected": np.maximum(A, A.T)}[direction].copy()
    np.fill_diagonal(A, 1.0)
    scale = A.sum(axis=1) ** -0.5
    return torch.from_numpy(scale[:, None] * A * scale[None, :]).float()


def features_l1(graph: Graph) -> Tensor:
    x = np.asarray(graph.x, dtype=np.float64)
    return torch.from_numpy(x / np.maximum(x.sum(axis=1, keepdims=True), 1e-12)).float()


def built(name: str, graph: Graph = GRAPH, seed: int = 0, **settings: object) -> tuple[nn.Module, object]:
    """The untrained module in evaluation mode, and its inputs."""
    model = zoo.get(name)
    config = model.config(**settings)
    inputs = model.prepare(graph, config)
    torch.manual_seed(seed)
    return model.build(config, graph, inputs).eval(), inputs


def logits(name: str, graph: Graph = GRAPH, **settings: object) -> Tensor:
    module, inputs = built(name, graph, **settings)
    with torch.no_grad():
        return module(inputs)
