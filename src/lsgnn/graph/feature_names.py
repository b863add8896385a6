"""Columns of features by name: a model that learned from (age, size) must not read (size, age)."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from lsgnn.errors import InputError
from lsgnn.graph.validate import Features


def in_order_of(x: Features, names: Sequence[str], wanted: Sequence[str], whose: str) -> Features:
    """The columns of x [n, d] that are called `wanted`, in that order; others are left out.

    Where one side has no names, the columns stay as they are.
    """
    if not names or not wanted or tuple(names) == tuple(wanted):
        return x
    place = {name: column for column, name in enumerate(names)}
    for name in wanted:
        if name not in place:
            near = get_close_matches(name, names, n=1)
            hint = f"is {near[0]!r} meant? Rename it" if near else "add it"
            raise InputError(f"{whose} has no feature column {name!r}, which the model learned from: {hint}")
    return x[:, [place[name] for name in wanted]]
