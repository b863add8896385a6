"""What one core of this CPU can do at most: multiply-adds in registers, and bytes read from each level of memory.

Kernels of our own, because a library's large product need not be near the limit: on an AMD CPU with AVX-512 the
engine's dense products are quicker than torch's sgemm.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from lsgnn.compiled import OPTIONS
from lsgnn.propagate.aligned import aligned
from lsgnn.train.fused.vector import W16, Width, splat, vload, vstore

SUMS = 10  # independent of each other, so that none waits
FLOAT, READ = 4, 1 << 24  # bytes of a number, and numbers that are read to measure a bandwidth
FIRST, SECOND, THIRD, MEMORY = (1 << 12,), (1 << 16, 1 << 17), (1 << 19, 1 << 20), (1 << 27,)  # numbers that lie there
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def fastest(run: Callable[[], object], times: int = 7) -> float:
    """CPU seconds."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return min(seconds)


def peaks() -> dict[str, float]:
    """Flops per second, and bytes per second from each cache and from memory."""
    out, times = aligned(64), 2_000_000
    multiply_add(1, out, W16)
    flops = 2 * SUMS * len(W16) * times / fastest(lambda: multiply_add(times, out, W16))
    return {
        "flops": flops,
        "first_level_bytes": bandwidth(FIRST),
        "cache_bytes": bandwidth(SECOND),
        "third_level_bytes": bandwidth(THIRD),
        "memory_bytes": bandwidth(MEMORY),
    }


def bandwidth(sizes: tuple[int, ...]) -> float:
    """Bytes per second that are read from as many numbers; the best of the sizes."""
    found = []
    for size in sizes:
        numbers, out, times = aligned(size), aligned(64), max(1, READ // size)
        numbers[:] = 0.5  # zeros would not be in memory at all
        read(numbers, 1, out, W16)
        found.append(FLOAT * size * times / fastest(lambda x=numbers, n=times, o=out: read(x, n, o, W16)))
    return max(found)


def level_size(index: int) -> int:
    """Bytes of a core's cache as Linux numbers them: 0 the first level for data, 2 the second; where nobody tells, what
    is usual."""
    file = CACHES / f"index{index}" / "size"
    told = file.read_text().strip() if file.exists() else {0: "32K", 2: "1024K"}[index]
    return int(told.removesuffix("K")) << 10


@njit(**OPTIONS)  # type: ignore[untyped-decorator]
def multiply_add(times: int, out: NDArray[np.float32], w: Width) -> None:
    x, y = vload(out, 0, w), vload(out, len(w), w)
    a: Any = x
    b, c, d, e, f, g, h, i, j = x + y, x - y, y - x, y + y, x * y, y * y, x * x, x + x, y
    for _ in range(times):
        a, b, c, d, e = a * x + y, b * x + y, c * x + y, d * x + y, e * x + y
        f, g, h, i, j = f * x + y, g * x + y, h * x + y, i * x + y, j * x + y
    vstore(out, 2 * len(w), (a + b + c + d + e) + (f + g + h + i + j))


@njit(**OPTIONS)  # type: ignore[untyped-decorator]
def read(numbers: NDArray[np.float32], times: int, out: NDArray[np.float32], w: Width) -> None:
    a: Any = splat(np.float32(0), w)
    b, c, d = a, a, a
    for _ in range(times):
        for k in range(0, numbers.shape[0], 4 * len(w)):
            a, b = a + vload(numbers, k, w), b + vload(numbers, k + len(w), w)
            c, d = c + vload(numbers, k + 2 * len(w), w), d + vload(numbers, k + 3 * len(w), w)
    vstore(out, 0, (a + b) + (c + d))
