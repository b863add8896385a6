"""The one check of arrays before compiled code reads them: Numba's kernels take every index at its word.

It stays on always because it costs little: each value is looked at twice while it is in the processor's cache, which
took 0.1 s of a core per gigabyte (SHA-256 took 0.6 s), and half a megabyte of memory.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.out_of_core.layout import Layout
from lsgnn.propagate.column_scale import ColumnScale

AT_ONCE = 1 << 18  # values looked at together


def require_layout(values: NDArray[Any], layout: Layout) -> None:
    """Raises a ValueError that says what is wrong, unless the array is what it must be."""
    kinds = layout.kind if layout.kind == "iuU" else None
    right = values.dtype.kind in kinds if kinds else values.dtype == np.dtype(layout.kind)
    if not right or not values.dtype.isnative:
        wanted = "whole numbers or text" if kinds else layout.kind
        raise ValueError(f"it holds {values.dtype} values, but they must be {wanted}")
    if values.shape != layout.shape:
        raise ValueError(f"it is of shape {values.shape}, but must be {layout.shape}")
    if not values.flags.c_contiguous:
        raise ValueError("it is stored column by column, but must be stored row by row")
    if layout.first is not None and values[0] != layout.first:
        raise ValueError(f"it begins with {values[0]}, but must begin with {layout.first}")
    flat = values.reshape(-1)
    if values.dtype == bool:
        flat = flat.view(np.uint8)  # of a byte that is neither 0 nor 1, both `v` and `~v` would be true
    for start in range(0, len(flat), AT_ONCE):
        if layout.bounds is not None:
            _require_bounds(flat[start : start + AT_ONCE], start, values.shape, layout)
        part = flat[start : start + AT_ONCE + 1]
        if layout.order is not None and not (rises := layout.order(part[1:], part[:-1])).all():
            place = int(np.argmin(rises))
            raise ValueError(f"{part[place + 1]} follows {part[place]} at [{start + place + 1}], but values must rise")


def _require_bounds(part: NDArray[Any], start: int, shape: tuple[int, ...], layout: Layout) -> None:
    assert layout.bounds is not None
    low, high = layout.bounds
    if part.dtype == np.float16 and high == np.finfo(np.float16).max:  # bits are quicker to look at
        if (part.view(np.uint16) & 0x7FFF).max() < 0x7C00:  # the exponent of infinity and NaN
            return
    elif low <= part.min() and part.max() <= high:  # NaN is neither
        return
    place = int(np.argmin((part >= low) & (part <= high)))
    index = ", ".join(str(i) for i in np.unravel_index(start + place, shape))
    raise ValueError(f"it holds {part[place]} at [{index}], but values must be {layout.rule}")


def checked_column_scale(found: Any, d: int) -> dict[str, list[float]]:
    """What a JSON document says of d columns, if it is what `ColumnScale.to_dict` wrote; else a ValueError."""
    names = [field.name for field in fields(ColumnScale)]
    if not isinstance(found, dict) or sorted(found) != sorted(names):
        raise ValueError(f"the scale of columns must have {', '.join(names)}")
    for name, values in found.items():
        length = 1 if name == "rows" else d
        if not isinstance(values, list) or len(values) != length or not all(type(v) is float for v in values):
            raise ValueError(f"{name} must be {length} number(s)")
        if not np.isfinite(values).all() or (name != "mean" and min(values) < 0):
            raise ValueError(f"{name} must be finite numbers{'' if name == 'mean' else ', at least 0'}")
    return found
