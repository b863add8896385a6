"""What the settings are where nobody named any, for every model and for Python and the command line alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np

from lsgnn import datasets
from lsgnn.config import LSGNNConfig, TrainingConfig
from lsgnn.datasets.registry import dataset_of
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.propagate.column_scale import mixed_sizes
from lsgnn.runs.stages import BASELINE_OPEN, LSGNN_OPEN
from lsgnn.train.metrics import Metric, about, default_metric, note_on_metric, require_measurable
from lsgnn.train.selection import select_by_for
from lsgnn.zoo.presets import has_preset, zoo_preset
from lsgnn.zoo.protocol import Model

Config = TypeVar("Config", bound="TrainingConfig | Draft")


@dataclass(frozen=True)
class Draft:
    """A configuration, and the names of the hyperparameters in it that the validation nodes may still choose."""

    config: Any
    open_to: frozenset[str] = frozenset()

    def replace(self, **named: Any) -> Draft:
        """A copy with some hyperparameters named, which are no longer open."""
        return Draft(self.config.replace(**named), self.open_to - named.keys())


def draft(graph: Graph, model: Model[Any]) -> Draft:
    """What a model starts from where nobody passed a configuration.

    What is known for a dataset stays as it is. On any other graph LSGNN leaves nearly everything to a probe of the
    validation nodes, and a baseline how it reads the features (`lsgnn.runs.probe`).
    """
    dataset = dataset_of(graph)
    if model.name == "lsgnn":
        known = bool(dataset) and datasets.has_preset(dataset, "default")
        config: Any = datasets.preset(dataset, "default").config if known else LSGNNConfig()
        if not known and graph.num_features == 1:  # of one column, a cosine is its sign
            config = config.replace(similarity="euclidean")
    else:
        known, config = has_preset(model.name, dataset), zoo_preset(model.name, dataset)
    open_to = () if known or not model.reads_columns else LSGNN_OPEN if model.name == "lsgnn" else BASELINE_OPEN
    return Draft(config, frozenset(name for name in open_to if hasattr(config, name)))


def as_draft(graph: Graph, model: Model[Any], config: Any) -> Draft:
    """A draft of whatever was passed: nothing, a draft, or a configuration, in which only "auto" is open."""
    if config is None:
        return draft(graph, model)
    if isinstance(config, Draft):
        return config
    if not isinstance(config, model.config):
        raise InputError(
            f"config is of type {type(config).__name__}: pass an {model.config.__name__}, or settings by name"
        )
    return Draft(config)


def suited(config: Any, shared: dict[str, Any]) -> Any:
    """The configuration with what suits every model; one that reads features as they come keeps its rows."""
    own = {name: value for name, value in shared.items() if hasattr(config, name)}
    if getattr(config, "feature_norm", "") in ("none", "standard") and own.get("feature_norm") != "standard":
        own.pop("feature_norm", None)
    return config.replace(**own)


def chosen_metric(graph: Graph, splits: Sequence[Split], metric: Metric | None = None) -> tuple[Metric, list[str]]:
    """What to score by, and a note where the labels decided it: the metric named, else the dataset's own, else by how
    unbalanced the classes are among training and validation nodes.

    Raises where the metric named cannot be computed on the validation nodes of a split.
    """
    if metric is not None:
        about(metric)
        for split in splits:
            require_measurable(metric, graph.y[split.val], graph.num_classes)
        return metric, []
    if dataset := dataset_of(graph):
        return datasets.info(dataset).metric, []
    visible = np.concatenate([graph.y[split.train | split.val] for split in splits])
    found = default_metric(visible, graph.num_classes)
    if about(found).two_classes and any(len(np.unique(graph.y[split.val])) < 2 for split in splits):
        found = "balanced_accuracy"  # which needs no second class to validate
    note = note_on_metric(found, visible, graph.class_names)
    return found, [note] if note else []


def following(config: Config, metric: Metric) -> Config:
    """`config` (or a draft of one) with the best epoch selected by the metric."""
    own: TrainingConfig = config.config if isinstance(config, Draft) else config
    changed: Any = replace(config, config=_by(own, metric)) if isinstance(config, Draft) else _by(own, metric)
    return cast(Config, changed)


def _by(config: TrainingConfig, metric: Metric) -> TrainingConfig:
    return config.replace(select_by=select_by_for(metric, config.select_by))


def suited_to(graph: Graph, config: Any) -> Any:
    """`config`, with standardised columns where those of a graph of the user's own are of very different sizes.

    A row scaled to length one, the default, would show little more than its largest column, and of a single column only
    the sign (whose cosine says as little: nodes are then compared by distance). Datasets of the registry keep what was
    published for them.
    """
    published = dataset_of(graph) and graph.num_features > 1
    if not hasattr(config, "feature_norm") or published or not _what_rows_hide(graph):
        return config
    config = config.replace(feature_norm="standard")
    by_sign = graph.num_features == 1 and getattr(config, "similarity", "") == "cosine"
    return config.replace(similarity="euclidean") if by_sign else config


def note_on_columns(graph: Graph, feature_norm: str, tried: bool = False) -> list[str]:
    """What a user should know about the sizes of columns; nothing if rows of length one show them all, and no advice to
    standardise where that was `tried` and did not help."""
    hidden = _what_rows_hide(graph)
    if not hidden or feature_norm == "none":
        return []
    if feature_norm == "standard":
        return [f"{hidden}: standardised (feature_norm='standard')"]
    if tried:
        return []
    return [f"{hidden}, and rows of length one show little of that: consider feature_norm='standard'"]


def _what_rows_hide(graph: Graph) -> str:
    """Why features should not be scaled row by row, in words; empty if nothing is against it."""
    if graph.num_features == 1:
        return "there is one feature column"
    sizes = mixed_sizes(graph.x)
    return "" if sizes is None else f"feature columns differ in size from {sizes[0]:.3g} to {sizes[1]:.3g}"
