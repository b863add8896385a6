"""What a search has tried: each hyperparameter as an axis, and how much it decides; facts for the page of a tuning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsgnn.train.metrics import Metric, utility
from lsgnn.tuning.choice import Tuning

ENOUGH = 8  # complete trials from which on an importance is more than noise
MAX_TICKS = 6
LOG_FROM = 30.0  # numbers that span such a factor were searched on a logarithmic scale


@dataclass(frozen=True)
class Trial:
    """A finished trial: its number, settings, mean validation score (of the splits it saw) and whether it saw all."""

    number: int
    settings: Mapping[str, Any]
    score: float
    complete: bool


@dataclass(frozen=True)
class Axis:
    """One hyperparameter that a search varied.

    Args:
        choices: the values in order where it is a choice (words, switches, or a handful of numbers); else empty.
        low, high: the smallest and the largest number tried, where it is a range.
        log: True if the range spans orders of magnitude.
    """

    name: str
    choices: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 1.0
    log: bool = False

    def place(self, value: Any) -> float:
        """Where a value lies, between 0 and 1; choices lie in the middle of equal shares."""
        if self.choices:
            return (self.choices.index(value) + 0.5) / len(self.choices)
        if self.high == self.low:
            return 0.5
        low, high, at = ((math.log(v) if self.log else v) for v in (self.low, self.high, value))
        return (at - low) / (high - low)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places and words of the axis."""
        if self.choices:
            return [(self.place(choice), _word(choice)) for choice in self.choices]
        if self.log:
            return [(self.place(v), _word(v)) for v in _round_numbers(self.low, self.high)]
        return [(self.place(v), _word(v)) for v in np.linspace(self.low, self.high, 3).tolist()]


def trials_of(tuning: Tuning) -> list[Trial]:
    """Every trial that has a score, in order."""
    return [
        Trial(t["trial"], t["settings"], float(np.mean(t["val"])), t["state"] == "complete")
        for t in tuning.trials
        if t["val"]
    ]


def axes_of(trials: Sequence[Trial]) -> list[Axis]:
    """The hyperparameters that every trial has and that were varied, in the order of the space."""
    names = [name for name in trials[0].settings if all(name in t.settings for t in trials)] if trials else []
    axes = (_axis(name, [t.settings[name] for t in trials]) for name in names)
    return [axis for axis in axes if axis is not None]


def importances(trials: Sequence[Trial], axes: Sequence[Axis], metric: Metric, seed: int = 0) -> dict[str, float]:
    """Share of the variance of complete trials' scores that each hyperparameter explains (fANOVA); most first.

    Empty where there are too few complete trials, or their scores are all the same.
    """
    complete = [t for t in trials if t.complete]
    if len(complete) < ENOUGH or len(axes) < 1 or len({t.score for t in complete}) < 2:
        return {}
    import optuna
    from optuna.importance import FanovaImportanceEvaluator, get_param_importances

    from lsgnn.tuning.study import quiet_optuna

    quiet_optuna()
    study = optuna.create_study(direction="maximize")
    limits = {axis.name: _distribution(axis) for axis in axes}
    for trial in complete:
        params = {axis.name: _param(axis, trial.settings[axis.name]) for axis in axes}
        study.add_trial(
            optuna.trial.create_trial(params=params, distributions=limits, value=utility(metric, trial.score))
        )
    found = get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=seed))
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _axis(name: str, values: Sequence[Any]) -> Axis | None:
    """None where all values are the same."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) < 2:
        return None
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in distinct)
    if not numbers:
        return Axis(name, tuple(sorted(distinct, key=str)))
    low, high = min(distinct), max(distinct)
    if len(distinct) <= MAX_TICKS and len(values) > 2 * len(distinct):
        return Axis(name, tuple(sorted(distinct)))
    return Axis(name, (), float(low), float(high), low > 0 and high / low >= LOG_FROM)


def _round_numbers(low: float, high: float) -> list[float]:
    """A few powers of ten, or 1, 2 and 5 times them, between two numbers on a logarithmic scale."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 3), (1, 2, 5)):
        found = [m * 10.0**k for k in powers for m in factors if low <= m * 10.0**k <= high]
        if len(found) > 2:
            break
    return found[:: max(1, math.ceil(len(found) / MAX_TICKS))]


def _distribution(axis: Axis) -> Any:
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    if axis.choices:
        return CategoricalDistribution(tuple(map(str, axis.choices)))
    return FloatDistribution(axis.low, axis.high, log=axis.log)


def _param(axis: Axis, value: Any) -> Any:
    return str(value) if axis.choices else float(value)


def _word(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
