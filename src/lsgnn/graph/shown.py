"""A wrong value as a message names it: on one line and not too long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def short(value: Any) -> str:
    """What Python writes for the value, cut off after 60 characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def shown(value: Any) -> str:
    """The value and its type.

    >>> shown([1, 2])
    '[1, 2] (list)'
    """
    return f"{short(value)} ({type(value).__name__})"


def listed(names: Sequence[str], most: int = 10) -> str:
    """The first names, without the line breaks that a quoted name may hold."""
    shown = [name if name.isprintable() and len(name) <= 60 else short(name) for name in names[:most]]
    return ", ".join(shown) + (f", … {len(names) - most} more" if len(names) > most else "")
