"""Which faults each command gets: at its disk operations, at shares of its time, and on disks that are too small."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

from tests.faults.judging import Stage
from tests.faults.strikes import Strike

COUNTS = {"kill": 5, "disk error": 3, "disk full": 2, "terminate": 2, "interrupt": 2, "revoke": 2}  # by operation
FLIPS = 5


def planned(stage: Stage) -> list[Strike]:
    """All of them."""
    if stage.scene.slow:
        return _of_workers(stage)
    found = [Strike(kind, point) for kind, count in COUNTS.items() for point in spread(stage.operations, count)]
    found += [Strike(kind, 0.5, in_time=True) for kind in ("kill", "terminate", "interrupt")]
    found += [Strike("file limit", size) for size in (1, 600)]
    if os.getuid() == 0 and shutil.which("mount"):
        found += [Strike("small disk", share) for share in (0.05, 0.5, 0.9)]
    if stage.scene.flips:
        found += [Strike("flip", (number + 0.37) / FLIPS) for number in range(FLIPS)]
    return found[::3] if stage.scene.costly else found


def sampled(stage: Stage, count: int) -> list[Strike]:
    """A few of them, the same ones on every machine, and none that could come too late."""
    certain = ("kill", "terminate", "interrupt", "disk error", "revoke", "flip")
    every = [what for what in planned(stage) if what.kind in certain and not what.in_time]
    return [every[(7 + 11 * number) % len(every)] for number in range(count)]


def spread(operations: int, count: int) -> list[int]:
    """Numbers of operations, the last among them."""
    return sorted({max(1, round((step + 1) * operations / count)) for step in range(count)})


def _of_workers(stage: Stage) -> list[Strike]:
    if "--ray" in stage.scene.words:
        return [Strike("kill ray worker", 0.05 * number) for number in (1, 2)] if find_spec("ray") else []
    killed = [Strike("kill worker", seconds) for seconds in (0.02, 0.6, 1.2)]
    return [*killed, *(Strike(kind, 0.4, in_time=True) for kind in ("kill", "terminate", "interrupt"))]
