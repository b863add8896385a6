"""Whoever waits for a search is told of its trials while it runs."""

import threading

import optuna

from lsgnn.out_of_core.watched_study import watched


def test_trials_are_told_as_they_end_and_the_last_at_the_end() -> None:
    study = optuna.create_study()
    study.tell(study.ask(), 0.0)  # of an earlier call
    told, heard = list[int](), threading.Event()

    def on_trial(study: optuna.Study) -> None:
        told.append(len(study.trials))
        heard.set()

    with watched(study, on_trial, every=0.01):
        study.tell(study.ask(), 1.0)
        assert heard.wait(timeout=60)
    assert told == [2]
    with watched(study, on_trial, every=60.0):
        study.tell(study.ask(), 2.0)
    assert told == [2, 3]


def test_nobody_is_told_if_nobody_asks() -> None:
    before = threading.active_count()
    with watched(optuna.create_study(), None):
        assert threading.active_count() == before
