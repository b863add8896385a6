"""Memory for rows that are read in any order: from the start of a line of the processor's cache on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LINE = 64  # bytes that memory gives at once


def aligned(n: int, width: int) -> NDArray[np.float32]:
    """An empty array [n, width] that begins with a line, so that a row of 16 numbers is in one line and not in two."""
    size = 4 * n * width
    buffer = np.empty(size + LINE, np.uint8)
    start = -buffer.ctypes.data % LINE
    return buffer[start : start + size].view(np.float32).reshape(n, width)
