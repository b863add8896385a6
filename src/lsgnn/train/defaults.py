"""What the settings should be where nobody named any: a table of ages and incomes wants other scales than words do."""

from __future__ import annotations

from typing import TypeVar

from lsgnn import datasets
from lsgnn.config import TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.propagate.feature_norm import column_sizes

Config = TypeVar("Config", bound=TrainingConfig)


def suited_to(graph: Graph, config: Config) -> Config:
    """`config`, with standardised columns where those of a graph of the user's own are of very different sizes.

    A row scaled to length one, the default, would show little more than its largest column. Datasets of the registry
    keep what was published for them.
    """
    if not hasattr(config, "feature_norm") or graph.name in datasets.names() or column_sizes(graph.x) is None:
        return config
    return config.replace(feature_norm="standard")


def note_on_columns(graph: Graph, feature_norm: str) -> list[str]:
    """What a user should know about columns of different sizes; nothing if they are alike."""
    sizes = column_sizes(graph.x)
    if sizes is None or feature_norm == "none":
        return []
    found = f"feature columns differ in size from {sizes[0]:.3g} to {sizes[1]:.3g}"
    if feature_norm == "standard":
        return [f"{found}: standardised (feature_norm='standard')"]
    return [f"{found}, and rows of length one show little but the largest: consider feature_norm='standard'"]
