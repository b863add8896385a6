"""With which configuration does each model of a comparison run? All that were given none read the nodes alike.

What was published for a dataset, or named by the caller, stays as it is. Every other model has features scaled as the
validation nodes of the split prefer, log degrees among them or not, and class weights or none, as `fit` would choose
for a baseline (`lsgnn.runs.probe`): defaults of different papers would decide a board.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from lsgnn import zoo
from lsgnn.config import TrainingConfig
from lsgnn.datasets.registry import dataset_of
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.runs.defaults import draft, following, suited_to
from lsgnn.runs.probe import resolved
from lsgnn.runs.stages import BASELINE_OPEN
from lsgnn.train.metrics import Metric
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.presets import has_preset, zoo_preset

OfSplits = dict[int, Any]  # number of a split → configuration
UNPROBED = (
    "what else was not named of LSGNN is as by default here, as of the others; `fit` chooses it on validation nodes"
)


def configurations(
    graph: Graph,
    models: Mapping[str, TrainingConfig | None],
    splits: Mapping[int, Split],
    *,
    presets: bool = True,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    metric: Metric = "accuracy",
    keep_select_by: bool = False,
    tuned: bool = False,
) -> tuple[dict[str, OfSplits], tuple[str, ...]]:
    """Model → configuration on each split, and notes on what was probed.

    Args:
        models: model → configuration, None for the one that is known for the dataset or else its defaults.
        splits: number → split, those that are compared.
        changes: model → hyperparameters over that.
        keep_select_by: let epochs be selected as the configurations say, though the metric is another.
        tuned: searches begin with these configurations, so that none is left as it is.
    """
    found: dict[str, OfSplits] = {}
    undecided: dict[str, list[str]] = {}
    dataset = dataset_of(graph)
    for name, given in models.items():
        named = dict((changes or {}).get(name, {}))
        known = presets and has_preset(name, dataset)
        config = given or suited_to(graph, zoo_preset(name, dataset) if presets else zoo.get(name).config())
        follows = given is None and not keep_select_by
        found[name] = dict.fromkeys(splits, (following(config, metric) if follows else config).replace(**named))
        if given is None and not known and zoo.get(name).reads_columns:
            undecided[name] = [one for one in BASELINE_OPEN if hasattr(config, one) and one not in named]
    undecided = {name: open_to for name, open_to in undecided.items() if open_to}
    anyone = sorted(set().union(*undecided.values()))
    prepared = Prepared(graph)
    probes = {number: probed_inputs(prepared, split, metric, anyone) for number, split in splits.items() if anyone}
    for name, open_to in undecided.items():
        for number, (settings, _) in probes.items():
            found[name][number] = found[name][number].replace(**{one: settings[one] for one in open_to})
    notes = _notes(probes, [_which(name, open_to, anyone) for name, open_to in undecided.items()])
    if "lsgnn" in models and models["lsgnn"] is None and not tuned and not (presets and has_preset("lsgnn", dataset)):
        notes = (*notes, UNPROBED)
    return found, notes


def _which(model: str, open_to: Sequence[str], anyone: Sequence[str]) -> str:
    """The model, with what it takes of the answer where that is not all of it."""
    return model if len(open_to) == len(anyone) else f"{model} ({', '.join(open_to)})"


def probed_inputs(
    prepared: Prepared, split: Split, metric: Metric = "accuracy", open_to: Collection[str] = BASELINE_OPEN
) -> tuple[dict[str, Any], str]:
    """How nodes are best read, whatever the model, and a note that says how that was chosen.

    A small MLP on the features prefers it, as it speaks for a baseline in `fit`: what it prefers is a property of the
    columns. The answer is for every model, because what suits one side only decides a board.
    """
    spoken_for = zoo.get("gcn")
    start = following(spoken_for.config(), metric)
    config, choice = resolved(prepared, spoken_for, start, [split], metric=metric, open_to=open_to)
    settings = {name: getattr(config, name) for name in BASELINE_OPEN if name in open_to}
    chosen = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return settings, f"{choice}, by a small MLP" if choice else f"{chosen}, as there is nothing to choose"


def _notes(probes: Mapping[int, tuple[dict[str, Any], str]], models: Sequence[str]) -> tuple[str, ...]:
    """One per answer: how the first split chose it, and which others did."""
    splits: dict[tuple[Any, ...], list[int]] = {}
    for number, (settings, _) in probes.items():
        splits.setdefault(tuple(settings.values()), []).append(number)
    return tuple(
        f"{probes[first][1]} on split {first}{f', and on {_listed(more)}' if more else ''}; for {', '.join(models)}"
        for first, *more in splits.values()
    )


def _listed(numbers: Sequence[int]) -> str:
    return f"split{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def changes_for_fit(graph: Graph, model: str, config: TrainingConfig, exact: bool = False) -> dict[str, Any]:
    """Hyperparameters that `fit` has to be told for this configuration, because its own defaults are others.

    Unless it is to be `exact`, what LSGNN would choose by a probe is left to it: that can only be better than the
    default it was compared with. One that was tuned has to be told exactly.
    """
    own = draft(graph, zoo.get(model))
    default = own.config.to_dict()
    open_to = own.open_to if model != "lsgnn" or exact else ()
    return {name: value for name, value in config.to_dict().items() if name in open_to or value != default[name]}
