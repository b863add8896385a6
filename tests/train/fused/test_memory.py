"""Training holds a small part of what the dense stack of channels would take."""

import tracemalloc
from pathlib import Path

import pytest
import torch

from lsgnn import LSGNN
from lsgnn.datasets import load, preset
from lsgnn.propagate.precompute import precompute
from lsgnn.train.fused import train_cpu


@pytest.mark.dataset
@pytest.mark.parametrize("name", ["cora", "citeseer", "squirrel"])
def test_peak_memory_is_at_most_a_third_of_the_dense_stack(data_dir: Path, name: str) -> None:
    graph, config = load(name, data_dir), preset(name, "released").config.replace(epochs=2)
    assert graph.splits is not None
    pre = precompute(graph, config)
    torch.manual_seed(0)
    initial = LSGNN.from_config(config, graph.num_features, graph.num_classes, graph.num_nodes).state_dict()
    train_cpu(pre, graph.y, graph.splits[0], config, initial)  # compiles, outside the measurement
    tracemalloc.start()
    train_cpu(pre, graph.y, graph.splits[0], config, initial)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    stack = (2 * config.K + 1) * graph.num_nodes * graph.num_features * 4
    assert peak < stack / 3
