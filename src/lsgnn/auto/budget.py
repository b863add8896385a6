"""How much a search may do, and by which clock."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Literal, get_args

from lsgnn.errors import InputError

Clock = Literal["wall", "cores"]


@dataclass
class Budget:
    """Trials, or seconds; both end a search, whichever comes first.

    Args:
        seconds: by the clock.
        clock: `wall`, or `cores`: the CPU time of this process and of all finished trials, divided by the workers. On
            an idle machine both agree; on a busy one a search by `cores` is as thorough as ever, and takes longer.
    """

    trials: int | None = None
    seconds: float = math.inf
    clock: Clock = "wall"
    workers: int = 1
    trained: float = 0.0  # CPU seconds of finished trials
    begun: float = field(default_factory=time.monotonic)
    begun_cpu: float = field(default_factory=time.process_time)

    def __post_init__(self) -> None:
        if self.clock not in get_args(Clock):
            raise InputError(f"clock={self.clock!r} is unknown: use {' or '.join(map(repr, get_args(Clock)))}")

    @property
    def elapsed(self) -> float:
        if self.clock == "wall":
            return time.monotonic() - self.begun
        return (time.process_time() - self.begun_cpu + self.trained) / self.workers

    @property
    def remaining(self) -> float:
        return self.seconds - self.elapsed

    @property
    def limit(self) -> float:
        """CPU seconds that one trial may take; none for a budget of trials, which knows no clock."""
        return 0.0 if math.isinf(self.seconds) else max(2.0, 0.1 * self.seconds)

    def used(self, trials: int) -> float:
        """The share of the budget that is used up, from 0 to 1 and beyond."""
        by_count = trials / self.trials if self.trials else 0.0
        return max(by_count, self.elapsed / self.seconds)
