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
from functools import cache
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


def read_card(root: Path, dataset: str, model: str) -> dict[int, Unit]:
    """Split → unit below `root/zoo/<dataset>` with exactly the settings of the model's card."""
    from lsgnn.zoo.presets import zoo_preset

    card = zoo_preset(model, dataset).to_dict()
    units = _stored_units(root / "zoo" / dataset / f"{model}.jsonl")
    return {unit.split: unit for unit in units if _in_full(unit) == card}


def read_shortened(root: Path, dataset: str) -> dict[str, str]:
    """Model → its variant, or what differs from its card, for the units that `read_zoo` counts."""
    found = {}
    for model, units in _zoo_units(root, dataset).items():
        variant, changed = min(_differences(model, dataset, units[0].config), key=lambda d: len(d[1]))
        if variant or changed:
            found[model] = ", ".join([variant] * bool(variant) + changed)
    return found


def read_codes(root: Path, dataset: str) -> dict[str, dict[int, str]]:
    """Model → split → code that made it, for the units that `read_zoo` counts."""
    return {m: {unit.split: unit.code for unit in units} for m, units in _zoo_units(root, dataset).items()}


def zoo_lines(root: Path) -> Iterator[dict[str, Any]]:
    """Everything that is stored of the units below `root/zoo`."""
    for path in sorted((root / "zoo").glob("*/*.jsonl")):
        yield from LineFile(path).lines().values()


def tuned_lines(root: Path) -> Iterator[dict[str, Any]]:
    """The test scores of every search below `root/tuning`."""
    for path in sorted((root / "tuning").rglob("*.json")):
        document = read_json(path)
        yield from document.get("test", {}).values() if isinstance(document, dict) else ()


def _differences(model: str, dataset: str, used: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """For every variant of the model, its name and which settings differ from its card."""
    from lsgnn.zoo.presets import zoo_preset, zoo_variants

    for variant in zoo_variants(model):
        card = zoo_preset(model, dataset, variant).to_dict()
        yield variant, [f"{name} {used[name]}" for name in card if name in used and used[name] != card[name]]


def _zoo_units(root: Path, dataset: str) -> dict[str, list[Unit]]:
    found: dict[str, list[Unit]] = {}
    for path in sorted((root / "zoo" / dataset).glob("*.jsonl")):
        groups: dict[str, dict[int, Unit]] = defaultdict(dict)
        for unit in (stored := _stored_units(path)):
            groups[repr(sorted(_in_full(unit).items()))][unit.split] = unit
        if stored:  # what an older version of the model scored is no rival of the latest
            latest = [units for units in groups.values() if any(u.code == stored[-1].code for u in units.values())]
            found[path.stem] = _best_on_validation([list(units.values()) for units in latest])
    return found


def _in_full(unit: Unit) -> dict[str, Any]:
    """Its settings, and the default of those that did not exist when it was stored."""
    return _defaults(unit.model) | unit.config


@cache
def _defaults(model: str) -> dict[str, Any]:
    from lsgnn import zoo

    return zoo.get(model).config().to_dict() if model in zoo.names() else {}


def _stored_units(path: Path) -> list[Unit]:
    """In the order in which they were stored."""
    return [unit for line in LineFile(path).lines().values() if (unit := Unit.of(line)) is not None]


def _best_on_validation(groups: Sequence[list[Unit]]) -> list[Unit]:
    """The settings with the best mean validation score on the splits that all have run on; more splits if equal.

    Settings with fewer than `ENOUGH` splits, on which a run was stopped, do not compete with others.
    """
    most = max(len(units) for units in groups)
    rivals = [units for units in groups if len(units) >= min(ENOUGH, most)]
    shared = set.intersection(*({unit.split for unit in units} for units in rivals))

    def rank(units: list[Unit]) -> tuple[float, int]:
        return float(np.mean([unit.val for unit in units if unit.split in shared])) if shared else 0.0, len(units)

    best = max(rivals, key=rank)
    return sorted(best, key=lambda unit: unit.split)
