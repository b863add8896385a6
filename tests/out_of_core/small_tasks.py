"""Tasks for executors, in a file that imports next to nothing: every process that runs one imports it."""

import os
import signal
import time
from pathlib import Path


def half(number: int) -> float:
    if number < 0:
        raise ValueError(f"{number} is below zero")
    return number / 2


def die(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def slow_block(folder: str, block: int, threads: int) -> int:
    """A task of `precompute` that takes its time; beside the store it leaves the machine of a Ray cluster it ran on."""
    import ray

    from lsgnn.out_of_core.tasks import propagate_block

    (Path(folder).parent / f"{block} at {ray.get_runtime_context().get_node_id()}").touch()
    time.sleep(1)
    return propagate_block(folder, block, threads)
