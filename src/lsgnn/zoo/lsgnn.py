"""LSGNN itself (Chen et al., IJCAI 2023) behind the protocol of the zoo; the method lives in `propagate/` and `nn/`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import torch

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import Precomputed, precompute
from lsgnn.zoo.protocol import Solution, ZooModel


@dataclass(frozen=True)
class LSGNNEntry(ZooModel[LSGNNConfig]):
    """Trains by the quickest engine that supports the settings; the torch model turns its weights into logits."""

    def solve(self, graph: Graph, split: Split, config: LSGNNConfig, inputs: Precomputed | None = None) -> Solution:
        from lsgnn.train.engines import train  # compiles kernels: not before they are needed

        start = time.perf_counter()
        pre = precompute(graph, config) if inputs is None else inputs
        trained = train(pre, split.visible(graph.y), graph.num_classes, split, config)
        model = build(config, graph, pre)
        model.load_state_dict(trained.state_dict)
        with torch.no_grad():
            logits = model.eval()(make_rows(pre, config)).numpy()
        parameters = sum(p.numel() for p in model.parameters())
        return Solution(logits, trained, parameters, time.perf_counter() - start)


def build(config: LSGNNConfig, graph: Graph, inputs: Precomputed) -> LSGNN:
    return LSGNN.from_config(config, graph.num_features, graph.num_classes, graph.num_nodes)


def space(trial: Any) -> dict[str, Any]:
    """The paper's search space."""
    from lsgnn.tuning.space import paper_space  # needs Optuna: not before a search

    return paper_space(trial)


MODEL = LSGNNEntry("lsgnn", "LSGNN", LSGNNConfig, precompute, build, space)
