"""Sizes of files and of memory, as people write them: 500MB ↔ bytes."""

from __future__ import annotations

import math
import re

from lsgnn.errors import InputError

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def parse_bytes(text: str, name: str) -> int:
    """Bytes of a size such as 500MB: a number and KB, MB, GB or TB, with or without the B.

    Args:
        name: what the user set, for the message: `--max-memory`.

    >>> parse_bytes("1.5 GB", "--max-memory")
    1500000000
    """
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)\s*([KMGT]?)B?", text.strip(), re.IGNORECASE)
    if not found:
        raise InputError(f"{name} {text!r} is not a size: write a number and KB, MB, GB or TB, such as 500MB")
    return int(float(found[1]) * UNITS[found[2].upper()])


def in_words(size: int) -> str:
    """A size for people, with three digits.

    >>> in_words(7_834_112), in_words(12)
    ('7.83 MB', '12 bytes')
    """
    if size >= 10**18:
        return "more than a million TB"
    unit, value = _scaled(size)
    number = f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"  # nobody says petabytes
    return f"{number} {unit}B" if unit else f"{size} bytes"


def rounded_up(size: int) -> str:
    """A whole size that is enough, as `parse_bytes` reads it.

    >>> rounded_up(9_900_000_001)
    '10GB'
    """
    unit, value = _scaled(size)
    return f"{math.ceil(value)}{unit}B" if unit else str(size)


def _scaled(size: int) -> tuple[str, float]:
    unit = next((unit for unit in ("T", "G", "M", "K") if size >= UNITS[unit]), "")
    return unit, size / UNITS[unit]
