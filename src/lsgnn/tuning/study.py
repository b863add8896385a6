"""One search: an Optuna study that several processes may share and that goes on after a kill.

Every finished trial is one transaction in the study's database. A trial whose process died is found by its worker's
mark, closed, and its settings are tried again in its place: none is lost and none counts twice. What a trial draws
depends on its place and on the trials finished before it, so that one process, however often killed, chooses as if it
had never been; where several share a study, the order in which their trials end decides.
"""

from __future__ import annotations

import itertools
import math
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.trial import FrozenTrial, TrialState

from lsgnn.errors import InputError, TrainingDiverged
from lsgnn.tuning.database import database, turn
from lsgnn.tuning.scorer import Scores
from lsgnn.zoo.lsgnn_space import Space

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
    with turn(storage):
        study = optuna.create_study(
            study_name=name.encode("utf-8", "backslashreplace").decode(),  # as a file's name may be no UTF-8
            storage=None if storage is None else database(storage),
            pruner=pruner or optuna.pruners.NopPruner(),
            direction="maximize",
            load_if_exists=True,
        )
        known = study.user_attrs
        begun = study.trials or not (known.get("opened") == worker_mark() or worker_is_gone(known.get("opened", "")))
        if begun and known.get("decides") != decides:
            raise InputError(
                f"{storage} holds a search of {name} on other data or splits, or with other settings, metric or seed: "
                "repeat those, or choose another file"
            )
        study.set_user_attr("decides", decides)
        study.set_user_attr("opened", worker_mark())
    return study


def quiet_optuna() -> None:
    """Optuna announces every study and trial; our callers have a progress bar."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def search(
    study: optuna.Study,
    scorer: Scores,
    space: Space,
    splits: list[int],
    trials: int,
    seed: int,
    on_trial: OnTrial | None = None,
    deadline: float = math.inf,
    first: Sequence[Mapping[str, Any]] = (),
    file: Path | None = None,
) -> None:
    """Runs trials until `trials` are finished, by whichever processes share the study in `file`.

    Settings in `first` come before any that are drawn, unless they have been tried. After `deadline`, in seconds of
    `time.monotonic`, no further trial is begun, except that one must be complete.
    """
    wishes = [dict(settings) for settings in first]
    while True:
        late = time.monotonic() > deadline
        if late and any(t.state == TrialState.COMPLETE for t in finished(study)):
            return
        with turn(file):
            trial = _take(study, trials, wishes)
        if trial is None:
            if late or count_finished(study) >= trials:
                return
            time.sleep(0.5)  # others work on the last trials; should they die, we take over
            continue
        try:
            scores = _score(study, trial, scorer, space, splits, seed)
        except BaseException:  # Ctrl-C in a notebook, say: this process lives on, but the trial does not
            with turn(file):
                close(study, trial.number)
            raise
        trial.set_user_attr("val", scores)
        complete = len(scores) == len(splits)
        state = TrialState.COMPLETE if complete else TrialState.PRUNED
        study.tell(trial, float(np.mean(scores)) if complete else None, state=state)
        if on_trial is not None:
            on_trial(study)


def _take(study: optuna.Study, trials: int, wishes: list[dict[str, Any]]) -> optuna.Trial | None:
    """The next trial, marked as ours, or None where those finished or running elsewhere are enough; in one's `turn`.

    Wishes are queued one by one, so that a trial that has to be repeated comes before the rest of them, as it did.
    """
    recover(study)
    known = study.get_trials(deepcopy=False)
    if sum(t.state in FINISHED or _runs_elsewhere(t) for t in known) >= trials:
        return None
    while wishes and not study.get_trials(deepcopy=False, states=(TrialState.WAITING,)):
        study.enqueue_trial(wishes.pop(0), skip_if_exists=True)  # an earlier call or another process may have done so
    trial = study.ask()
    if "place" not in trial.user_attrs:
        trial.set_user_attr("place", _free_place(known, trial.number))
    trial.set_user_attr("worker", worker_mark())
    return trial


def _free_place(known: Sequence[FrozenTrial], number: int) -> int:
    """The first place that no living or finished trial has: the trial's number, had none failed before it."""
    alive = [t for t in known if t.state != TrialState.FAIL and ("place" in t.user_attrs or t.state.is_finished())]
    taken = {t.user_attrs.get("place") for t in alive}
    if None in taken:  # begun by an older version, where the number was the place
        return number
    return next(place for place in itertools.count() if place not in taken)


def _score(
    study: optuna.Study, trial: optuna.Trial, scorer: Scores, space: Space, splits: list[int], seed: int
) -> list[float]:
    """A trial's scores, fewer than there are splits where it is pruned or diverges."""
    # every trial draws from a stream of its own: neither a resumed nor a shared study draws the same twice
    study.sampler = optuna.samplers.TPESampler(seed=(seed + 7919 * trial.user_attrs["place"]) % 2**32)
    settings = space(trial)
    trial.set_user_attr("settings", settings)
    scores: list[float] = []
    try:
        for score in scorer.scores(settings, splits, seed):
            trial.report(score, step=len(scores))
            trial.set_user_attr("seen", time.time())
            scores.append(score)
            if len(scores) < len(splits) and trial.should_prune():
                break
    except TrainingDiverged as error:  # such settings are no answer, but no reason to stop either
        trial.set_user_attr("diverged", str(error))
    return scores


def finished(study: optuna.Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=FINISHED)


def count_finished(study: optuna.Study) -> int:
    return len(finished(study))


def _runs_elsewhere(trial: FrozenTrial) -> bool:
    return trial.state == TrialState.RUNNING and trial.user_attrs.get("worker") != worker_mark()


def recover(study: optuna.Study) -> None:
    """Closes trials whose process is gone and queues their settings again; in one's `turn` only.

    A trial is taken and marked in one turn: one without a mark was taken by a process that died at that.
    """
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        mark = str(trial.user_attrs.get("worker", ""))
        started = trial.datetime_start.timestamp() if trial.datetime_start else 0.0
        silent = time.time() - trial.user_attrs.get("seen", started)
        if worker_is_gone(mark) or (not is_here(mark) and silent > SILENT_SECONDS):
            close(study, trial.number)


def close(study: optuna.Study, number: int) -> None:
    """Queues a trial's settings again, unless that has been done, and ends it without a result; in one's `turn`.

    Where it had not drawn all of them, those that were asked for: in the same place the others are drawn as before.
    """
    known = study.get_trials(deepcopy=False)
    trial = known[number]
    drawn = trial.params if "settings" in trial.user_attrs else {}
    settings = trial.system_attrs.get("fixed_params", {}) | drawn
    if settings and not any(t.user_attrs.get("again") == number for t in known):
        place = {"place": trial.user_attrs["place"]} if "place" in trial.user_attrs else {}
        study.enqueue_trial(settings, user_attrs={"again": number, **place})
    study.tell(number, state=TrialState.FAIL, skip_if_finished=True)


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
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if state in "ZX" else rest[18]  # killed, though its parent has not asked for it yet
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except OSError:
        return ""
    return "alive"
