"""Numbers of a saved transformer, checked: a run may come from anywhere."""

from __future__ import annotations

import math
from typing import Any

MOST_SECONDS = 1e14  # of a date, before or after 1970
MOST_COLUMNS = 10_000_000  # of x, that all transformers make together


def finite(value: Any, most: float = 3.5e38) -> float:
    number = float(value)
    if not math.isfinite(number) or abs(number) > most:
        raise ValueError(f"{number} is no number of a column")
    return number


def count(value: Any, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= MOST_COLUMNS:
        raise ValueError(f"{value!r} is no count of a column")
    return value
