"""A search that others run: whoever waits for it is told of its trials as they end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import optuna
from optuna.exceptions import StorageInternalError

from lsgnn.tuning.study import OnTrial, count_finished

EVERY = 1.0  # seconds between two looks at the study


@contextmanager
def watched(study: optuna.Study, on_trial: OnTrial | None, every: float = EVERY) -> Iterator[None]:
    """Inside, `on_trial` is called, by a thread, whenever there are more finished trials than before; once more at the
    end, if need be."""
    if on_trial is None:
        yield
        return
    done, seen = threading.Event(), count_finished(study)

    def look() -> None:
        nonlocal seen
        if (now := count_finished(study)) > seen:
            seen = now
            on_trial(study)

    def watch() -> None:
        while not done.wait(every):
            try:
                look()
            except StorageInternalError:  # the file is busy: next time
                continue

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    look()
