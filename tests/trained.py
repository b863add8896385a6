"""Small trained runs that tests share."""

from typing import Any

from lsgnn import Graph, LSGNNConfig, Run, Split, fit
from lsgnn.train.loop import OnEpoch
from tests.graphs import random_graph


def small_run(
    graph: Graph | None = None,
    *,
    members: int = 1,
    split: int | Split = 0,
    on_epoch: OnEpoch | None = None,
    **settings: Any,
) -> Run:
    """A few epochs of the torch engine (nothing to compile) on a random graph, with exactly these settings.

    The config is passed whole, because without one `fit` probes directions and weights and picks for itself.
    """
    config = LSGNNConfig(**{"epochs": 8, "K": 3, "hidden_channels": 4} | settings)
    graph = random_graph() if graph is None else graph
    return fit(graph, config, engine="torch", members=members, split=split, on_epoch=on_epoch)
