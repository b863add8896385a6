"""A quick look at all pairs of β and γ before a search, which can miss the right one; they share one precompute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import optuna
from optuna.trial import TrialState

from lsgnn.tuning.scorer import Scores
from lsgnn.tuning.study import count_finished, search
from lsgnn.zoo.lsgnn_space import SHARES

CELLS = len(SHARES) ** 2
GRID_SPLITS = 3  # splits that are looked at
GRID_BEST = 8  # cells that go on to full trials


def best_cells(
    scorer: Scores, study: optuna.Study, splits: list[int], seed: int, deadline: float, file: Path | None = None
) -> list[dict[str, float]]:
    """The best of the 36 cells on a few splits, as far as the time goes; a later call looks at the rest.

    A cell that the study's pruner gives up is none of them.
    """

    def cells(trial: optuna.Trial) -> dict[str, Any]:
        return {name: trial.suggest_categorical(name, SHARES) for name in ("beta", "gamma")}

    if count_finished(study) < CELLS:
        every = [{"beta": beta, "gamma": gamma} for beta in SHARES for gamma in SHARES]
        search(study, scorer, cells, splits[:GRID_SPLITS], CELLS, seed, deadline=deadline, first=every, file=file)
    ranked = sorted(study.get_trials(states=(TrialState.COMPLETE,)), key=lambda t: -(t.value or 0.0))
    return [dict(trial.params) for trial in ranked[:GRID_BEST]]
