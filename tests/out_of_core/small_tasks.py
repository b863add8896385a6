"""Tasks for executors, in a file that imports next to nothing: every process that runs one imports it."""

import os
import signal
import time


def half(number: int) -> float:
    if number < 0:
        raise ValueError(f"{number} is below zero")
    return number / 2


def die(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def slow_place(number: int) -> tuple[int, str]:
    """The number, and the machine of a Ray cluster that was asked."""
    import ray

    time.sleep(1)
    return number, ray.get_runtime_context().get_node_id()
