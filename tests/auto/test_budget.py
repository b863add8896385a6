"""The budget of a search, by the wall and by the cores."""

import math
import time

import pytest

from lsgnn import InputError
from lsgnn.auto.budget import Budget


def test_trials_or_seconds_whichever_comes_first() -> None:
    assert Budget(trials=10).used(5) == 0.5
    late = Budget(trials=10, seconds=100.0, begun=time.monotonic() - 80)
    assert late.used(5) == pytest.approx(0.8, abs=0.01)
    assert late.remaining == pytest.approx(20, abs=1)
    assert late.limit == 10
    assert Budget(trials=10).limit == 0


def test_cores_count_cpu_time_of_trials_shared_by_the_workers_and_not_the_wall() -> None:
    budget = Budget(seconds=100.0, clock="cores", workers=2, begun=time.monotonic() - 1_000)
    assert budget.used(3) == pytest.approx(0, abs=0.01)
    budget.trained += 60.0
    assert budget.used(4) == pytest.approx(0.3, abs=0.01)
    assert math.isclose(budget.remaining, 70, abs_tol=1)


def test_an_unknown_clock_is_refused() -> None:
    with pytest.raises(InputError, match="clock='sun' is unknown: use 'wall' or 'cores'"):
        Budget(clock="sun")  # type: ignore[arg-type]
