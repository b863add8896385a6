"""Compiled code in threads of its own: Python hears of Ctrl-C on the main thread, and only between its own
instructions, so that thread does nothing but wait and look."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from typing import TypeVar

T = TypeVar("T")

SECONDS_BETWEEN_LOOKS = 0.1


def together(
    functions: Sequence[Callable[[], T]],
    look: Callable[[], None] = lambda: None,
    stop: Callable[[], None] = lambda: None,
) -> list[T]:
    """Calls all functions at the same time, each in a thread of its own, and returns what they return.

    None of them begins before all threads exist: they may wait for each other. An interrupt, or an error of `look`,
    calls `stop` and is raised at once; the threads then end when they please, or with the process.

    Args:
        look: called by this thread now and then while they run.
        stop: asks the functions to end early.
    """
    gate, cancelled = threading.Event(), threading.Event()

    def work(function: Callable[[], T], future: Future[T]) -> None:
        gate.wait()
        if cancelled.is_set():
            return
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    futures: list[Future[T]] = [Future() for _ in functions]
    try:
        for function, future in zip(functions, futures, strict=True):
            threading.Thread(target=work, args=(function, future), daemon=True).start()
        gate.set()
        while wait(futures, SECONDS_BETWEEN_LOOKS, FIRST_EXCEPTION).not_done and not any(map(_failed, futures)):
            look()
        return [future.result() for future in sorted(futures, key=lambda future: not _failed(future))]
    except BaseException:
        cancelled.set()
        gate.set()
        stop()
        raise


def _failed(future: Future[T]) -> bool:
    return future.done() and future.exception() is not None
