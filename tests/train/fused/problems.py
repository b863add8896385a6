"""Random problems, small enough to compare the engine with the torch model in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.nn.model import LSGNN
from lsgnn.propagate.precompute import Precomputed, precompute


@dataclass(frozen=True)
class Problem:
    """A graph that is ready to train on, a split, and a freshly initialised model."""

    pre: Precomputed
    y: NDArray[np.int64]
    split: Split
    config: LSGNNConfig
    model: LSGNN

    @property
    def initial(self) -> dict[str, torch.Tensor]:
        return {name: tensor.clone() for name, tensor in self.model.state_dict().items()}


def make_problem(seed: int = 0, n: int = 40, d: int = 12, C: int = 3, dense: bool = False, **settings: Any) -> Problem:
    """A random directed graph with isolated nodes, rows of zeros and unlabelled nodes; x sparse unless `dense`."""
    random = np.random.default_rng(seed)
    config = LSGNNConfig(**{"K": 2, "hidden_channels": 8, "epochs": 20, "seed": seed, **settings})
    x = random.normal(size=(n, d)) if dense else (random.random((n, d)) < 0.3).astype(np.float32)
    x[random.random(n) < 0.1] = 0
    edges = random.integers(0, max(1, n - 3), size=(2, 3 * n))  # the last three nodes are isolated
    part = random.permutation(np.arange(n) % 4)  # train, validate, test, unlabelled
    y = np.where(part < 3, random.integers(0, C, n), -1)
    features = x.astype(np.float32) if dense else sp.csr_array(x.astype(np.float32))
    graph = Graph(x=features, edge_index=edges, y=y, class_names=tuple(map(str, range(C))))
    torch.manual_seed(seed)
    model, pre = LSGNN.from_config(config, d, C, n), precompute(graph, config)
    model.set_scales(pre.similarity.scale, pre.similarity.degree_scale)
    return Problem(pre, y, Split(part == 0, part == 1, part == 2), config, model)
