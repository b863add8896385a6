"""Runs the units of an experiment that have no stored result yet, one after the other or several at a time.

A result is kept as soon as it is known (`lsgnn.benchmark.units`), so that a run that was killed goes on where it
stopped.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from lsgnn.config import LSGNNConfig
from lsgnn.errors import DatasetUnavailable, InputError, LSGNNWarning
from paper import get
from paper.frame import Experiment, Plan, PlannedUnit, Results, code_of

OnDone = Callable[[int, int], None]  # (units finished, units known so far)


def run(
    experiment: Experiment, plan: Plan, results: Results, jobs: int = 1, on_done: OnDone | None = None
) -> list[str]:
    """Computes what is missing and returns a line for each unit whose data is not on this machine.

    Args:
        jobs: units computed at the same time, each by a process with one thread; the results do not depend on it.
        on_done: called after every unit.
    """
    if jobs < 1:
        raise InputError(f"jobs={jobs} is out of range: it must be at least 1")
    from lsgnn.train.environment import environment

    skipped: dict[str, str] = {}
    while True:
        units = experiment.units(plan, results)
        missing = [unit for unit in units if unit.name not in skipped and not is_finished(unit, results)]
        if not missing:
            return list(dict.fromkeys(skipped.values()))
        done = len(units) - len(missing)
        for unit, outcome in _computed(experiment, missing, plan, jobs):
            if isinstance(outcome, str):
                skipped[unit.name] = outcome
            else:
                results.add(unit, **outcome, code=code_of(unit.arguments), environment=environment())
            done += 1
            if on_done is not None:
                on_done(done, len(units))


def is_finished(unit: PlannedUnit, results: Results) -> bool:
    """True if the unit is stored; an error if it was made with other settings, because the two must not mix."""
    if results.get(unit.name) is None:
        return False
    stored, asked = results.arguments(unit.name), unit.arguments
    changed = [name for name in {*stored, *asked} if not _agree(stored.get(name), asked.get(name))]
    if changed:
        raise InputError(
            f"{unit.name} in {results.path(unit.name)} was made with other settings ({', '.join(sorted(changed))}): "
            "remove its line to compute it anew, or pass --fresh if the model is another now"
        )
    return True


def _agree(stored: Any, asked: Any) -> bool:
    """Equal values; in a table of settings, those that did not exist at the time had their default then."""
    if isinstance(stored, dict) and isinstance(asked, dict):
        new = asked.keys() - stored.keys()
        defaults = LSGNNConfig().to_dict()
        return all(name in asked and _agree(value, asked[name]) for name, value in stored.items()) and all(
            name in defaults and asked[name] == defaults[name] for name in new
        )
    if isinstance(stored, list) and isinstance(asked, list):
        return len(stored) == len(asked) and all(map(_agree, stored, asked))
    return bool(stored == asked)


Outcome = dict[str, Any] | str  # a result, or why there is none


def _computed(
    experiment: Experiment, units: Iterable[PlannedUnit], plan: Plan, jobs: int
) -> Iterator[tuple[PlannedUnit, Outcome]]:
    if jobs == 1:
        for unit in units:
            yield unit, _compute(experiment, unit, plan)
        return
    # processes, not threads: torch's random stream and thread count belong to the process
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(_compute_by_name, experiment.name, unit, plan): unit for unit in units}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BrokenProcessPool as error:
            raise InputError(
                "a job was killed, perhaps for want of memory: lower --jobs; the same command goes on where it stopped"
            ) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _compute_by_name(name: str, unit: PlannedUnit, plan: Plan) -> Outcome:
    return _compute(get(name), unit, plan)


def _compute(experiment: Experiment, unit: PlannedUnit, plan: Plan) -> Outcome:
    assert experiment.compute is not None, f"{experiment.name} names units, but cannot compute them"
    with _steady_processor(), warnings.catch_warnings():
        warnings.simplefilter("ignore", LSGNNWarning)  # what is odd about a benchmark is known, and said elsewhere
        start = time.perf_counter()
        try:
            result = experiment.compute(unit.arguments, plan)
        except DatasetUnavailable as error:
            return str(error)
        return {"result": result, "seconds": round(time.perf_counter() - start, 2)}


@contextmanager
def _steady_processor() -> Iterator[None]:
    """One thread for one job or many, so that sums are added in the same order, and tiny numbers rounded to zero: the
    gradients of deep models get so small that processors slow down ten times."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        torch.set_flush_denormal(False)
