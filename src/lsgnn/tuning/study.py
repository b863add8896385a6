"""One search: an Optuna study that several processes may share and that goes on after a kill.

Every finished trial is one transaction in the study's database. A trial whose process died is found by its worker's
mark, closed, and its settings are tried again: none is lost and none counts twice.
"""

from __future__ import annotations

import math
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.trial import FrozenTrial, TrialState

from lsgnn.errors import InputError, TrainingDiverged
from lsgnn.tuning.scorer import Scorer
from lsgnn.zoo.lsgnn_space import Space

UNMARKED_SECONDS = 10.0  # a trial without a worker's mark is either this young or its process died at birth
SILENT_SECONDS = 3600.0  # without a score for so long, a process on another machine is taken for dead
FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)
OnTrial = Callable[[optuna.Study], None]


def open_study(
    name: str, storage: Path | None, pruner: optuna.pruners.BasePruner | None = None, decides: str = ""
) -> optuna.Study:
    """The study of this name in the database file `storage` (None: in memory), made if it is new.

    `decides` stands for everything else that decides a score (data, splits, metric, settings that are not searched): a
    study made with another is refused, because its scores do not compare.
    """
    quiet_optuna()
    database = None
    if storage is not None:
        if not storage.parent.is_dir():
            raise InputError(f"cannot write {storage}: the folder {storage.parent} does not exist; create it first")
        if storage.exists() and not (storage.is_file() and _starts_like_sqlite(storage)):
            raise InputError(f"{storage} is not a study database: choose another file or remove it first")
        database = _database(storage)
    study = optuna.create_study(
        study_name=name,
        storage=database,
        pruner=pruner or optuna.pruners.NopPruner(),
        direction="maximize",
        load_if_exists=True,
    )
    if study.trials and study.user_attrs.get("decides") != decides:
        raise InputError(
            f"{storage} holds a search of {name} on other data or splits, or with other settings, metric or seed: "
            "repeat those, or choose another file"
        )
    study.set_user_attr("decides", decides)
    return study


def quiet_optuna() -> None:
    """Optuna announces every study and trial; our callers have a progress bar."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def _starts_like_sqlite(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(16).startswith(b"SQLite format 3")
    except OSError as error:
        raise InputError(f"cannot read {file} ({error.strerror}): choose another file") from error


def _database(file: Path) -> optuna.storages.RDBStorage:
    from sqlalchemy.exc import SQLAlchemyError

    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise InputError(f"cannot write {file}: it is read-only; choose another file")
    try:
        # a second process may hold the file for a moment: wait for it instead of failing
        return optuna.storages.RDBStorage(f"sqlite:///{file}", engine_kwargs={"connect_args": {"timeout": 60}})
    except SQLAlchemyError as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"cannot use {file} as a study database ({reason}): choose another file") from error


def search(
    study: optuna.Study,
    scorer: Scorer,
    space: Space,
    splits: list[int],
    trials: int,
    seed: int,
    on_trial: OnTrial | None = None,
    deadline: float = math.inf,
) -> None:
    """Runs trials until `trials` are finished, by whichever processes share the study.

    After `deadline`, in seconds of `time.monotonic`, no further trial is begun, except that one must be complete.
    """
    recover(study)
    while count_finished(study) + count_running_elsewhere(study) < trials:
        if time.monotonic() > deadline and any(t.state == TrialState.COMPLETE for t in finished(study)):
            return
        trial = study.ask()
        try:
            settings, scores = _score(study, trial, scorer, space, splits, seed)
        except BaseException:  # Ctrl-C in a notebook, say: this process lives on, but the trial does not
            _close(study, trial.number)
            raise
        trial.set_user_attr("val", scores)
        trial.set_user_attr("settings", settings)
        complete = len(scores) == len(splits)
        state = TrialState.COMPLETE if complete else TrialState.PRUNED
        study.tell(trial, float(np.mean(scores)) if complete else None, state=state)
        if on_trial is not None:
            on_trial(study)
    while count_finished(study) < trials and count_running_elsewhere(study) and time.monotonic() <= deadline:
        time.sleep(0.5)  # others work on the last trials; should they die, we take over
        recover(study)
        if count_finished(study) + count_running_elsewhere(study) < trials:
            return search(study, scorer, space, splits, trials, seed, on_trial, deadline)


def _score(
    study: optuna.Study, trial: optuna.Trial, scorer: Scorer, space: Space, splits: list[int], seed: int
) -> tuple[dict[str, Any], list[float]]:
    """A trial's settings and its scores, fewer than there are splits where it is pruned or diverges."""
    trial.set_user_attr("worker", worker_mark())
    # every trial draws from a stream of its own: neither a resumed nor a shared study draws the same twice
    study.sampler = optuna.samplers.TPESampler(seed=(seed + 7919 * trial.number) % 2**32)
    settings = space(trial)
    scores: list[float] = []
    try:
        for score in scorer.scores(settings, splits, seed):
            trial.report(score, step=len(scores))
            trial.set_user_attr("seen", time.time())
            scores.append(score)
            if len(scores) < len(splits) and trial.should_prune():
                break
    except TrainingDiverged:  # such settings are no answer, but no reason to stop either
        trial.set_user_attr("diverged", True)
    return settings, scores


def finished(study: optuna.Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=FINISHED)


def count_finished(study: optuna.Study) -> int:
    return len(finished(study))


def count_running_elsewhere(study: optuna.Study) -> int:
    running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
    return sum(trial.user_attrs.get("worker") != worker_mark() for trial in running)


def recover(study: optuna.Study) -> None:
    """Closes trials whose process is gone and queues their settings again."""
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        mark = str(trial.user_attrs.get("worker", ""))
        started = trial.datetime_start.timestamp() if trial.datetime_start else 0.0
        just_begun = not mark and time.time() - started < UNMARKED_SECONDS
        if just_begun or mark == worker_mark():
            continue
        silent = time.time() - trial.user_attrs.get("seen", started)
        if worker_is_gone(mark) or (not is_here(mark) and silent > SILENT_SECONDS):
            _close(study, trial.number)


def _close(study: optuna.Study, number: int) -> None:
    """Ends a trial without a result and queues its settings, drawn or asked for, again."""
    trial = study.trials[number]
    study.tell(number, state=TrialState.FAIL, skip_if_finished=True)
    if settings := trial.system_attrs.get("fixed_params", {}) | trial.params:
        study.enqueue_trial(settings, skip_if_exists=False)


def worker_mark() -> str:
    """Names this process so that another can tell whether it still lives (a process id alone may be reused)."""
    return f"{socket.gethostname()}:{os.getpid()}:{_started(os.getpid())}"


def is_here(mark: str) -> bool:
    """True if the process belongs to this machine."""
    return mark.rsplit(":", 2)[0] == socket.gethostname()


def worker_is_gone(mark: str) -> bool:
    """True if the process lived on this machine and does no more; a process elsewhere is given the benefit of doubt."""
    if not mark or not is_here(mark):
        return not mark
    _, pid, started = mark.rsplit(":", 2)
    return _started(int(pid)) != started


def _started(pid: int) -> str:
    """When the process was started, as the kernel counts it; empty if there is none (or no /proc to ask)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except OSError:
        return ""
    return "alive"
