"""Torch's random numbers from a seed of one's own, leaving the caller's stream as it was."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_ONE_AT_A_TIME = threading.RLock()  # torch has one random stream per process: two threads would share it


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Inside, torch draws from `seed` alone; afterwards the global stream goes on where it was."""
    with _ONE_AT_A_TIME, torch.random.fork_rng(devices=[]):
        if torch.accelerator.is_available():
            torch.manual_seed(seed)
        else:  # the same, without a look at every kind of device: a third of a millisecond in a search of thousands
            torch.default_generator.manual_seed(seed)
        yield
