"""Results that other commands leave for the paper's tables: `scripts/tune_datasets.py` in `results/tuning/`,
`scripts/run_zoo.py` in `results/zoo/`.

* `results/tuning/**/*.json`: documents as of `lsgnn tune --out`: dataset, model, space, trials, and under `test` one
  evaluation per test protocol;
* `results/zoo/<dataset>/<model>.jsonl`: units of `lsgnn compare --store`, one line each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn.benchmark.units import Unit
from lsgnn.lines import LineFile
from paper.frame import read_json

ENOUGH = 3  # splits
RULES = {  # as searches store them → as pages say them
    "one configuration for all splits": "single seed",
    "one configuration, ensemble of seeds": "seed ensemble",
    "ensemble of the best configurations": "ensemble of configurations",
    # as searches before version 0.2 stored them
    "one setting for all splits": "single seed",
    "each split its own": "one configuration per split",
    "one setting, seeds voting": "seed ensemble",
    "the best settings voting": "ensemble of configurations",
}
SPACES = {  # that were searched: the folders of results/tuning
    "paper": "the paper's space",
    "paper-refolds": "the paper's space, resampled splits",
    "extended": "the extended space",
}


@dataclass(frozen=True)
class Tuned:
    """Validation and test scores (%) per split of a configuration that `lsgnn tune` chose on validation nodes."""

    dataset: str
    model: str
    space: str
    rule: str
    metric: str
    trials: int
    search_splits: int
    minutes: float  # of the search, re-scoring included
    rescored_val: float  # of the chosen configuration, on fresh seeds, before it was chosen
    val: tuple[float, ...]
    test: tuple[float, ...]


def read_tuned(root: Path) -> list[Tuned]:
    """Everything tuned and tested below `root/tuning`, sorted by file."""
    found = []
    for path in sorted((root / "tuning").rglob("*.json")):
        document = read_json(path)
        if not isinstance(document, dict) or "test" not in document or "dataset" not in document:
            continue  # the history of a search without a test
        metric = document.get("metric", "accuracy")
        for rule, evaluation in document["test"].items():
            test = tuple(evaluation[f"test_{metric}"]["per_split"])
            found.append(
                Tuned(
                    dataset=document["dataset"],
                    model=document.get("model", "lsgnn"),
                    space=document.get("space", "paper"),
                    rule=_in_words(rule),
                    metric=metric,
                    trials=int(document.get("num_trials", len(document.get("trials", ())))),
                    search_splits=document.get("search_splits", len(test)),
                    minutes=document["seconds"] / 60,
                    rescored_val=next(c["val"] for c in document["rescored"] if c["settings"] == document["chosen"]),
                    val=tuple(evaluation[f"val_{metric}"]["per_split"]),
                    test=test,
                )
            )
    return found


def _in_words(rule: str) -> str:
    """The test protocol without the number of members: 2 to 10, as time allowed."""
    stored = re.sub(r"\d+ (seeds|best)", r"\1", rule)
    return RULES.get(stored, stored)


def read_zoo(root: Path, dataset: str) -> dict[str, list[float]]:
    """Model → test scores (%) per split, from the units below `root/zoo/<dataset>`.

    Where a model has units of several settings (a variant, say), those count that are best on validation.
    """
    return {model: [unit.test for unit in units] for model, units in _zoo_units(root, dataset).items()}


def read_card(root: Path, dataset: str, model: str) -> dict[int, float]:
    """Split → test score (%) of the units below `root/zoo/<dataset>` with exactly the settings of the model's card."""
    from lsgnn.zoo.presets import zoo_preset

    card = zoo_preset(model, dataset).to_dict()
    units = _stored_units(root / "zoo" / dataset / f"{model}.jsonl")
    return {unit.split: unit.test for unit in units if _in_full(unit) == card}


def read_shortened(root: Path, dataset: str) -> dict[str, str]:
    """Model → its variant, or what differs from its card, for the units that `read_zoo` counts."""
    found = {}
    for model, units in _zoo_units(root, dataset).items():
        variant, changed = min(_differences(model, dataset, units[0].config), key=lambda d: len(d[1]))
        if variant or changed:
            found[model] = ", ".join([variant] * bool(variant) + changed)
    return found


def _differences(model: str, dataset: str, used: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """For every variant of the model, its name and which settings differ from its card."""
    from lsgnn.zoo.presets import zoo_preset, zoo_variants

    for variant in zoo_variants(model):
        card = zoo_preset(model, dataset, variant).to_dict()
        yield variant, [f"{name} {used[name]}" for name in card if name in used and used[name] != card[name]]


def _zoo_units(root: Path, dataset: str) -> dict[str, list[Unit]]:
    groups: dict[str, dict[str, list[Unit]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted((root / "zoo" / dataset).glob("*.jsonl")):
        for unit in _stored_units(path):
            groups[unit.model][repr(sorted(_in_full(unit).items()))].append(unit)
    return {model: _best_on_validation(list(settings.values())) for model, settings in groups.items()}


def _in_full(unit: Unit) -> dict[str, Any]:
    """Its settings, and the default of those that did not exist when it was stored."""
    from lsgnn import zoo

    defaults = zoo.get(unit.model).config().to_dict() if unit.model in zoo.names() else {}
    return defaults | unit.config


def _stored_units(path: Path) -> list[Unit]:
    """By split, and then by key, so that nothing depends on the order in which they were computed."""
    found = ((key, Unit.of(line)) for key, line in LineFile(path).lines().items())
    whole = [(unit.split, key, unit) for key, unit in found if unit is not None]
    return [unit for *_, unit in sorted(whole, key=lambda entry: entry[:2])]


def _best_on_validation(groups: Sequence[list[Unit]]) -> list[Unit]:
    """The settings with the best mean validation score on the splits that all have run on; more splits if equal.

    Settings with fewer than `ENOUGH` splits, on which a run was stopped, do not compete with others.
    """
    most = max(len(units) for units in groups)
    rivals = [units for units in groups if len(units) >= min(ENOUGH, most)]
    shared = set.intersection(*({unit.split for unit in units} for units in rivals))
    if not shared:
        return max(rivals, key=lambda units: len(units))

    def rank(units: list[Unit]) -> tuple[float, int]:
        return float(np.mean([unit.val for unit in units if unit.split in shared])), len(units)

    best = max(rivals, key=rank)
    return sorted(best, key=lambda unit: unit.split)
