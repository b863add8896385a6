"""The choice after a search: the best settings are scored again with fresh seeds, and the best of these is taken."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import optuna
from optuna.trial import FrozenTrial, TrialState

from lsgnn.errors import InputError, TrainingDiverged
from lsgnn.train.metrics import Metric, utility, worst
from lsgnn.tuning.scorer import Scores
from lsgnn.tuning.study import finished

TOP = 10  # settings re-scored before one is chosen, unless the caller says otherwise
ROUNDS = 2  # of re-scoring, each with fresh seeds and half of the settings of the one before
STRIDE = 1_000  # from the seeds of one scoring to those of the next; each split adds its number


@dataclass(frozen=True)
class Tuning:
    """A finished search.

    Args:
        settings: the chosen settings, over `base`.
        per_split: for each split, of all settings tried, those its own validation nodes prefer (the stricter rule; what
            is tried is decided by all splits together).
        rescored: the best settings of the search, with their mean validation score on fresh seeds and the number of
            rounds they were in; the chosen ones first.
        trials: every finished trial: settings, validation score per split, state.
        seconds: of this search, earlier calls that it went on from included.
    """

    base: Any
    settings: dict[str, Any]
    per_split: list[dict[str, Any]] = field(repr=False)
    rescored: list[dict[str, Any]] = field(repr=False)
    trials: list[dict[str, Any]] = field(repr=False)
    seconds: float = 0.0

    @property
    def config(self) -> Any:
        """The chosen settings as a configuration."""
        return self.base.replace(**self.settings)

    def committee(self, size: int) -> list[Any]:
        """The settings that did best on fresh seeds, to vote together: what one of them has won by luck counts less."""
        if not 1 <= size <= len(self.rescored):
            raise InputError(f"size={size} is out of range: {len(self.rescored)} settings have been scored again")
        return [self.base.replace(**candidate["settings"]) for candidate in self.rescored[:size]]

    @property
    def configs_per_split(self) -> list[Any]:
        return [self.base.replace(**settings) for settings in self.per_split]

    def to_dict(self) -> dict[str, Any]:
        return {
            "chosen": self.settings,
            "rescored": self.rescored,
            "per_split": self.per_split,
            "trials": self.trials,
            "base": self.base.to_dict(),
            "seconds": round(self.seconds, 1),
        }


def choose(study: optuna.Study, scorer: Scores, splits: list[int], seed: int, top: int = TOP) -> Tuning:
    """Re-scores the best settings with fresh seeds, as the search's own best is partly luck, and takes the best.

    The better half of them is scored once more, so that the choice is made where most is known.
    """
    done, metric = finished(study), scorer.metric
    complete = sorted((t for t in done if t.state == TrialState.COMPLETE), key=lambda t: -(t.value or 0.0))
    if not complete:
        reasons = [trial.user_attrs["diverged"] for trial in done if "diverged" in trial.user_attrs]
        raise InputError(
            f"none of the {len(done)} trials was finished: {reasons[-1] if reasons else 'run more of them'}"
        )
    candidates = complete[:top]
    fresh: dict[int, list[list[float]]] = {trial.number: [] for trial in candidates}
    for number in range(ROUNDS):
        for trial in candidates:
            fresh[trial.number].append(_rescore(study, scorer, trial, splits, seed + STRIDE * (1 + number)))
        candidates.sort(key=lambda t: -np.mean(fresh[t.number]))  # the earlier of equals stays first
        candidates = candidates[: math.ceil(len(candidates) / 2)]
    rescored = [
        {
            "trial": trial.number,
            "settings": trial.user_attrs["settings"],
            "val": utility(metric, float(np.mean(fresh[trial.number]))),
            "rounds": len(fresh[trial.number]),
            "search_val": utility(metric, trial.value or 0.0),
        }
        for trial in complete[:top]
    ]
    rescored.sort(key=lambda r: (-r["rounds"], -utility(metric, r["val"])))
    by_split = [best_on_split(done, s).user_attrs["settings"] for s in range(len(splits))]
    history = [{"trial": t.number, "state": t.state.name.lower(), **_told(t, metric)} for t in done]
    return Tuning(scorer.base, rescored[0]["settings"], by_split, rescored, history)


def best_on_split(trials: Sequence[FrozenTrial], s: int) -> FrozenTrial:
    """The trial that a split's own validation nodes like best, pruned ones included; the earliest of equals.

    The mean over all splits must not break ties: other splits validate on this one's test nodes.
    """
    scored = [t for t in trials if len(t.user_attrs["val"]) > s]
    return max(scored, key=lambda t: (t.user_attrs["val"][s], -t.number))


def _rescore(study: optuna.Study, scorer: Scores, trial: FrozenTrial, splits: list[int], seed: int) -> list[float]:
    """Validation scores of a trial's settings with another seed, kept in the study; `worst` where it diverges."""
    key = f"rescored/{trial.number}/{seed}"
    if key not in study.user_attrs:
        try:
            scores = list(scorer.scores(trial.user_attrs["settings"], splits, seed))
        except TrainingDiverged:
            scores = [worst(scorer.metric)] * len(splits)
        study.set_user_attr(key, json.dumps(scores))
    found: list[float] = json.loads(study.user_attrs[key])
    return found


def _told(trial: FrozenTrial, metric: Metric) -> dict[str, Any]:
    """What `search` noted down of a finished trial."""
    val = [utility(metric, score) for score in trial.user_attrs["val"]]
    return {"settings": trial.user_attrs["settings"], "val": val}
