from pathlib import Path

import optuna
from optuna.trial import TrialState

from lsgnn.tuning.study import open_study, worker_mark
from lsgnn.tuning.successor import take_place


def begun_by(study: optuna.Study, worker: str, value: float) -> int:
    """A trial that a worker has drawn and not finished."""
    trial = study.ask()
    trial.suggest_float("x", value, value)
    for name, said in (("worker", worker), ("settings", {"x": value}), ("place", trial.number)):
        trial.set_user_attr(name, said)
    return trial.number


def test_the_trials_of_whoever_held_the_place_are_queued_again(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    study = open_study("s", file)
    study.set_user_attr("pool/call/1", "far-away:7:99")
    dead, alive, own = (
        begun_by(study, worker, value)
        for worker, value in (("far-away:7:99", 1.0), ("far-away:8:99", 2.0), (worker_mark(), 3.0))
    )
    take_place(study, file, "call/1")
    states = [trial.state for trial in study.trials]
    assert states[dead] == TrialState.FAIL
    assert states[alive] == states[own] == TrialState.RUNNING
    assert [t.system_attrs["fixed_params"] for t in study.trials if t.state == TrialState.WAITING] == [{"x": 1.0}]
    take_place(study, file, "call/1")  # our own place by now
    take_place(study, file, "")
    assert [trial.state for trial in study.trials] == [*states]
