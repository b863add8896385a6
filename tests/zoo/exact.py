"""Helpers of the tests: models in double precision, so that a textbook formula can be met to ten digits."""

import dataclasses
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lsgnn.graph.graph import Graph
from tests.zoo.reading import built


def doubled(value: Any) -> Any:
    """The same inputs with every float32 tensor, sparse ones too, as float64."""
    if isinstance(value, Tensor):
        return value.double() if value.is_floating_point() else value
    if isinstance(value, tuple):
        return tuple(map(doubled, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: doubled(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    return value


def exact(name: str, graph: Graph, **settings: object) -> tuple[nn.Module, Any]:
    """The untrained module and its inputs in double precision."""
    module, inputs = built(name, graph, **settings)
    return module.double(), doubled(inputs)


def dense_adjacency(graph: Graph, direction: str = "undirected", self_loops: bool = False) -> Tensor:
    """A [n, n] in textbook form: A[i, j] = 1 where node i reads node j."""
    A = np.zeros((graph.num_nodes, graph.num_nodes))
    source, target = graph.edge_index
    A[source, target] = 1.0
    A = {"out": A, "in": A.T, "undirected": np.maximum(A, A.T)}[direction].copy()
    if not self_loops:
        np.fill_diagonal(A, 0.0)
    return torch.from_numpy(A)


def dense(matrix: Any) -> Tensor:
    """A sparse matrix of ours, or a dense tensor, as a dense tensor."""
    return matrix if isinstance(matrix, Tensor) else matrix.forward.to_dense()
