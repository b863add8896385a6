"""Optimisers without torch's compiler, which they import, and that takes long, only to tell it to stay away.

torch wraps some of their methods so that `torch.compile` leaves them alone, and the wrappers import `torch._dynamo`
when they are first called. Nothing here is compiled by torch; gradients are reset by the module (`model.zero_grad`).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

MARK = "__dynamo_disable"  # where the wrapper keeps what it calls instead, once it has asked the compiler


@contextmanager
def without_dynamo() -> Iterator[None]:
    """Inside, an optimiser can be made without the import; afterwards torch is as it was."""
    plain: Any = getattr(torch.optim.Optimizer.add_param_group, "__wrapped__", None)
    if plain is None or hasattr(plain, MARK) or "torch._dynamo" in sys.modules:
        yield
        return
    setattr(plain, MARK, plain)
    try:
        yield
    finally:
        delattr(plain, MARK)


@torch.no_grad()
def step(optimizer: torch.optim.Optimizer) -> None:
    """`optimizer.step()` without its wrappers, which are for the compiler and for the profiler."""
    inspect.unwrap(type(optimizer).step)(optimizer)
