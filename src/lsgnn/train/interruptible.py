"""Ctrl-C while compiled code runs: Python hears of it on the main thread, and only between its own instructions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def interruptible(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls `function` so that Ctrl-C is heard at once, if only by the caller.

    From the main thread the work is done by another one, which an interrupt leaves to itself: it ends when the work
    does, or with the process.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **kwargs)
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(function(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future.result()
