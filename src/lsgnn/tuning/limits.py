"""Which values a search space allows, setting by setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import optuna
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

from lsgnn.errors import InputError
from lsgnn.tuning.study import quiet_optuna
from lsgnn.zoo.lsgnn_space import Space

Limits: TypeAlias = dict[str, BaseDistribution]
Interval = FloatDistribution | IntDistribution


def limits_of(space: Space) -> Limits:
    quiet_optuna()
    trial = optuna.create_study().ask()
    space(trial)
    return dict(trial.distributions)


def nearest(settings: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """Those of the settings that are searched, moved to the nearest number that the space has; a word that it does not
    have is left to the search."""
    found = {}
    for name, allowed in limits.items():
        value, choices = settings[name], getattr(allowed, "choices", ())
        if isinstance(allowed, Interval):
            found[name] = min(max(value, allowed.low), allowed.high)
        elif value in choices:
            found[name] = value
        elif isinstance(value, int | float):
            found[name] = min(choices, key=lambda choice: abs(choice - value))
    return found


def require_inside(start: Sequence[Mapping[str, Any]], limits: Limits) -> None:
    """Raises unless the settings to try first are of the search space."""
    for settings in start:
        for name, value in settings.items():
            allowed = limits.get(name)
            if allowed is None:
                raise InputError(f"start has {name!r}, which is not searched: use {', '.join(limits)}")
            if isinstance(allowed, Interval):
                inside, rule = allowed.low <= value <= allowed.high, f"from {allowed.low} to {allowed.high}"
            else:
                choices = getattr(allowed, "choices", ())
                inside, rule = value in choices, f"one of {', '.join(map(repr, choices))}"
            if not inside:
                raise InputError(f"start has {name}={value!r}, outside the search space: it must be {rule}")


def require_same_space(study: optuna.Study, limits: Limits) -> None:
    """Raises where a study has tried settings from another search space: Optuna would fail in the middle of it."""
    for trial in study.get_trials(deepcopy=False):
        for name, allowed in trial.distributions.items():
            if limits.get(name) != allowed:
                raise InputError(
                    f"the study {study.study_name!r} searched {name!r} in another space, as an older lsgnn may have "
                    "had: choose another file"
                )
