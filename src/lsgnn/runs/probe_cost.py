"""How long a probe may train: as many epochs as a budget of CPU seconds allows, by estimate, so that it is the same
everywhere and at any time."""

from __future__ import annotations

from typing import Any

from lsgnn.graph.graph import Graph
from lsgnn.runs.stages import num_stored

LSGNN_SECONDS = 20.0  # for all candidates together, on the machine the rates were measured on
NS = 0.15  # per multiply-add of the fused engine, one thread, everything included
MOST, LEAST = 100, 30  # epochs


def affordable_epochs(graph: Graph, config: Any, runs: int) -> int:
    """Epochs of each of so many training runs."""
    K = getattr(config, "K", 2)
    z = getattr(config, "hidden_channels", 16)
    per_epoch = 2 * z * ((2 * K + 1) * num_stored(graph) + 2 * K * (K + 1) * graph.num_edges) * NS * 1e-9
    return int(max(LEAST, min(MOST, LSGNN_SECONDS / max(1e-9, runs * per_epoch))))
