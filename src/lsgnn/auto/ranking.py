"""The finished trials of a search, in order: which are best, and which are the same configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsgnn.auto.trial import Outcome


@dataclass(frozen=True)
class Trial:
    """A finished trial of a search."""

    model: str
    config: Any
    outcome: Outcome
    phase: str

    @property
    def score(self) -> float:
        return self.outcome.score


def complete(trial: Trial, deals: int) -> bool:
    """True if it was scored on every deal: it neither failed nor was stopped."""
    return len(trial.outcome.scores) == deals


def ranked(trials: Sequence[Trial], deals: int) -> list[Trial]:
    """The trials that were scored on every deal, the best first; the earlier of equals."""
    return sorted((trial for trial in trials if complete(trial, deals)), key=lambda trial: -trial.score)


def unique(trials: Sequence[Trial]) -> list[Trial]:
    """Each configuration once, seed included: a search may propose the same one twice."""
    return list({trial.outcome.key: trial for trial in trials}.values())


def distinct(trials: Sequence[Trial]) -> list[Trial]:
    """The first of those that differ in nothing but their length or seed."""
    seen, kept = set[Any](), list[Trial]()
    for trial in trials:
        same = (trial.model, trial.config.replace(epochs=1, seed=0))
        if same not in seen:
            seen.add(same)
            kept.append(trial)
    return kept


def seeds_of(trial: Trial, trials: Sequence[Trial], deals: int) -> list[Trial]:
    """All complete trials of one configuration, whatever their seed; each once."""
    own = replace(trial.config, seed=0)
    return [
        t for t in unique(trials) if complete(t, deals) and t.model == trial.model and replace(t.config, seed=0) == own
    ]


def mean_score(trial: Trial, trials: Sequence[Trial], deals: int) -> float:
    """The score of a configuration over all its seeds, which no single lucky one decides."""
    return float(np.mean([t.score for t in seeds_of(trial, trials, deals)]))
