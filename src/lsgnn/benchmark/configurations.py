"""With which configuration does each model of a comparison run? The same feature scaling for all that were given none.

What was published for a dataset, or named by the caller, stays as it is. Every other model reads features scaled as the
validation nodes of the split prefer (`lsgnn.runs.probe`): defaults of different papers would decide a board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lsgnn import zoo
from lsgnn.config import TrainingConfig
from lsgnn.datasets.registry import dataset_of
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.runs.defaults import draft, following, suited_to
from lsgnn.runs.probe import probed_feature_norm
from lsgnn.train.metrics import Metric
from lsgnn.zoo.presets import has_preset, zoo_preset

OfSplits = dict[int, Any]  # number of a split → configuration
UNPROBED = "LSGNN has its defaults here, as the others have; `fit` chooses more of it on validation nodes"


def configurations(
    graph: Graph,
    models: Mapping[str, TrainingConfig | None],
    splits: Mapping[int, Split],
    *,
    presets: bool = True,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    metric: Metric = "accuracy",
    keep_select_by: bool = False,
) -> tuple[dict[str, OfSplits], tuple[str, ...]]:
    """Model → configuration on each split, and notes on what was probed.

    Args:
        models: model → configuration, None for the one that is known for the dataset or else its defaults.
        splits: number → split, those that are compared.
        changes: model → hyperparameters over that.
        keep_select_by: let epochs be selected as the configurations say, though the metric is another.
    """
    found: dict[str, OfSplits] = {}
    unscaled = []
    dataset = dataset_of(graph)
    for name, given in models.items():
        named = dict((changes or {}).get(name, {}))
        known = presets and has_preset(name, dataset)
        config = given or suited_to(graph, zoo_preset(name, dataset) if presets else zoo.get(name).config())
        follows = given is None and not keep_select_by
        found[name] = dict.fromkeys(splits, (following(config, metric) if follows else config).replace(**named))
        if given is None and not known and "feature_norm" not in named and hasattr(config, "feature_norm"):
            unscaled.append(name)
    probes = {number: probed_feature_norm(graph, split, metric) for number, split in splits.items() if unscaled}
    for name in unscaled:
        found[name] = {number: found[name][number].replace(feature_norm=norm) for number, (norm, _) in probes.items()}
    notes = _notes(probes, unscaled)
    return found, (*notes, UNPROBED) if "lsgnn" in unscaled else notes


def _notes(probes: Mapping[int, tuple[str, str]], models: Sequence[str]) -> tuple[str, ...]:
    """One per scaling: how the first split chose it, and which others did."""
    splits: dict[str, list[int]] = {}
    for number, (norm, _) in probes.items():
        splits.setdefault(norm, []).append(number)
    return tuple(
        f"{probes[first][1]} on split {first}{f', and on {_listed(more)}' if more else ''}; for {', '.join(models)}"
        for first, *more in splits.values()
    )


def _listed(numbers: Sequence[int]) -> str:
    return f"split{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def changes_for_fit(graph: Graph, model: str, config: TrainingConfig, exact: bool = False) -> dict[str, Any]:
    """Hyperparameters that `fit` has to be told for this configuration, because its own defaults are others.

    Unless it is to be `exact`, what LSGNN would choose by a probe is left to it: that can only be better than the
    default it was compared with.
    """
    own = draft(graph, zoo.get(model))
    default = own.config.to_dict()
    open_to = own.open_to if model != "lsgnn" or exact else ()
    return {name: value for name, value in config.to_dict().items() if name in open_to or value != default[name]}
