"""Memory for vectors: from the start of a cache line on, so that loading one never touches two lines."""

from __future__ import annotations

import numpy as np

from lsgnn.train.fused.structs import Floats

LINE = 64  # bytes


def aligned(size: int) -> Floats:
    """So many zeros."""
    memory = np.zeros(size + LINE // 4, np.float32)
    skip = -memory.ctypes.data % LINE // 4
    return memory[skip : skip + size]
