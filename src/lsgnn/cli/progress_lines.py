"""Where stderr is no terminal (a log file, a cluster), a line now and then instead of a bar."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, Task

SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def lines_of(bar: Progress, say: Callable[[str], None], shown: bool) -> Iterator[None]:
    """Inside, every task of the bar that is under way is told of every ten seconds, if `shown`."""
    if not shown:
        yield
        return

    def tell() -> None:
        for task in bar.tasks:
            if not task.finished:
                say(line_of(task))

    with every(SECONDS_BETWEEN_LINES, tell):
        yield


@contextmanager
def every(seconds: float, do: Callable[[], object]) -> Iterator[None]:
    """Inside, `do` is called again and again, in a thread of its own."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(seconds):
            do()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def line_of(task: Task) -> str:
    """`training on cora: 120 of 200, 42 s`"""
    begun = task.total is not None and task.completed
    count = f": {task.completed:.0f} of {task.total:.0f}" if begun else ""
    return f"{task.description}{count}, {task.elapsed or 0:.0f} s"
