"""How a name is retired: it goes on working for one minor version and says what to use instead."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def deprecated(instead: str, removed_in: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Marks a function that is about to go.

    Args:
        instead: what to call, as the user would write it.
        removed_in: the version without it.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def still_works(*args: P.args, **kwargs: P.kwargs) -> R:
            warnings.warn(
                f"{function.__qualname__} is deprecated and goes with lsgnn {removed_in}: use {instead}",
                DeprecationWarning,
                stacklevel=2,
            )
            return function(*args, **kwargs)

        return still_works

    return decorate
