"""What the settings are where nobody named any, for every model and for Python and the command line alike."""

from __future__ import annotations

from typing import Any, TypeVar

from lsgnn import datasets
from lsgnn.config import LSGNNConfig, TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.propagate.column_scale import mixed_sizes
from lsgnn.zoo.presets import zoo_preset
from lsgnn.zoo.protocol import Model

Config = TypeVar("Config", bound=TrainingConfig)


def default_config(graph: Graph, model: Model[Any]) -> Any:
    """LSGNN lets the validation nodes choose direction and weights; a baseline has what is known for the dataset."""
    if model.name != "lsgnn":
        return suited_to(graph, zoo_preset(model.name, graph.name))
    if graph.name in datasets.names() and datasets.has_preset(graph.name, "default"):
        return datasets.preset(graph.name, "default").config
    return suited_to(graph, LSGNNConfig(direction="auto", weights="auto"))


def suited_to(graph: Graph, config: Config) -> Config:
    """`config`, with standardised columns where those of a graph of the user's own are of very different sizes.

    A row scaled to length one, the default, would show little more than its largest column, and of a single column only
    the sign (whose cosine says as little: nodes are then compared by distance). Datasets of the registry keep what was
    published for them.
    """
    published = graph.name in datasets.names() and graph.num_features > 1
    if not hasattr(config, "feature_norm") or published or not _what_rows_hide(graph):
        return config
    config = config.replace(feature_norm="standard")
    by_sign = graph.num_features == 1 and getattr(config, "similarity", "") == "cosine"
    return config.replace(similarity="euclidean") if by_sign else config


def note_on_columns(graph: Graph, feature_norm: str) -> list[str]:
    """What a user should know about the sizes of columns; nothing if rows of length one show them all."""
    hidden = _what_rows_hide(graph)
    if not hidden or feature_norm == "none":
        return []
    if feature_norm == "standard":
        return [f"{hidden}: standardised (feature_norm='standard')"]
    return [f"{hidden}, and rows of length one show little of that: consider feature_norm='standard'"]


def _what_rows_hide(graph: Graph) -> str:
    """Why features should not be scaled row by row, in words; empty if nothing is against it."""
    if graph.num_features == 1:
        return "there is one feature column"
    sizes = mixed_sizes(graph.x)
    return "" if sizes is None else f"feature columns differ in size from {sizes[0]:.3g} to {sizes[1]:.3g}"
