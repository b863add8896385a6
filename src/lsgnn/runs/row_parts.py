"""A large graph passes through a model part by part: what the layers hold is then small beside what they read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from lsgnn.nn.rows import DenseChannels, Rows

ROWS_AT_ONCE = 1 << 17


def parts_of(readable: Any, rows_at_once: int = ROWS_AT_ONCE) -> Iterator[Any]:
    """What a model reads, in parts where these are rows of all nodes with their channels at hand; else whole."""
    if not (isinstance(readable, Rows) and isinstance(readable.channels, DenseChannels) and readable.index is None):
        yield readable
        return
    n = readable.channels.stack.shape[1]
    if n <= rows_at_once:
        yield readable
        return
    for start in range(0, n, rows_at_once):
        yield readable.select(torch.arange(start, min(start + rows_at_once, n)))
