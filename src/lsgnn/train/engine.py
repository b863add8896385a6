"""Which engines there are, and whether this machine has the device that is asked for."""

from __future__ import annotations

from typing import Literal, get_args

from lsgnn.errors import InputError

Engine = Literal["auto", "cpu", "torch"]  # the quickest that can; the fused CPU engine; the plain loop on any device


def require_engine(engine: Engine) -> None:
    if engine not in get_args(Engine):
        raise InputError(f"engine={engine!r} is not a choice: use one of {', '.join(map(repr, get_args(Engine)))}")


def require_device(device: str) -> None:
    """Raises unless torch can use the device, here and now."""
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"device={device!r} cannot be used ({reason}): use 'cpu'") from error
