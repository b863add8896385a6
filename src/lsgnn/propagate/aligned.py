"""Memory for rows and vectors: from the start of a line of the processor's cache on, so that what fits a line is in one
and not in two."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

LINE = 64  # bytes that memory gives at once


def aligned(*shape: int) -> NDArray[np.float32]:
    """Zeros of this shape."""
    size = math.prod(shape)
    memory = np.zeros(size + LINE // 4, np.float32)
    skip = -memory.ctypes.data % LINE // 4
    return memory[skip : skip + size].reshape(shape)
