"""Workers of a pool that share a study: one that is started in the place of another knows that the other is dead.

A study finds the trials of dead processes by itself where they ran on this machine, and elsewhere after an hour of
silence (`lsgnn.tuning.study.recover`). A pool knows at once: it starts a task again only if its worker is gone.
"""

from __future__ import annotations

from pathlib import Path

import optuna
from optuna.trial import TrialState

from lsgnn.tuning.database import turn
from lsgnn.tuning.study import close, worker_mark


def take_place(study: optuna.Study, file: Path | None, place: str) -> None:
    """Notes that this process holds a place in a pool; unfinished trials of whoever held it are queued again."""
    if not place:
        return
    key = f"pool/{place}"
    with turn(file):
        former = study.user_attrs.get(key, "")
        for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            if former not in ("", worker_mark()) and trial.user_attrs.get("worker") == former:
                close(study, trial.number)
        study.set_user_attr(key, worker_mark())
