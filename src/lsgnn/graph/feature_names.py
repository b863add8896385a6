"""Columns of features by name: a model that learned from (age, size) must not read (size, age).

A value of a category has a column of its own, `town = Bonn`, which other tables need not have.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
import scipy.sparse as sp

from lsgnn.errors import InputError, LSGNNWarning
from lsgnn.graph.validate import Features

IS = " = "  # between a category and its value in the name of a column


def categories_of(names: Sequence[str]) -> list[str]:
    """The categories among the names of columns, in their order.

    >>> categories_of(["age", "town = Bonn", "town = Rom"])
    ['town']
    """
    return list(dict.fromkeys(name.partition(IS)[0] for name in names if IS in name))


def in_order_of(x: Features, names: Sequence[str], wanted: Sequence[str], whose: str) -> Features:
    """The columns of x [n, d] that are called `wanted`, in that order; others are left out.

    Where one side has no names, the columns stay as they are. A value of a category that no row has is a column of
    zeros; one that is not wanted, because the model has never seen it, counts as none, and a warning says so.
    """
    if not names or not wanted or tuple(names) == tuple(wanted):
        return x
    place = {name: column for column, name in enumerate(names)}
    absent = x.shape[1]  # the number of a column of zeros behind the others
    categories, learned = categories_of(names), categories_of(wanted)
    for name in wanted:
        category, is_value, _ = name.partition(IS)
        if is_value and category in categories:
            place.setdefault(name, absent)
        if name not in place:
            raise InputError(
                f"{whose} has no feature column {name!r}, which the model learned from: {_hint(name, names)}"
            )
    for name in names:
        category, _, value = name.partition(IS)
        if value and category in learned and name not in wanted:
            note = f"{value!r} in column {category!r} of {whose} is new to the model: it counts as none"
            warnings.warn(note, LSGNNWarning, stacklevel=3)
    columns = [place[name] for name in wanted]
    return (_with_zeros_behind(x) if absent in columns else x)[:, columns]


def _hint(name: str, names: Sequence[str]) -> str:
    category = name.partition(IS)[0]
    if category != name:
        return f"name {category!r} as one of its categories"
    near = get_close_matches(name, names, n=1)
    return f"is {near[0]!r} meant? Rename it" if near else "add it"


def _with_zeros_behind(x: Features) -> Features:
    zeros = np.zeros((x.shape[0], 1), np.float32)
    return sp.csr_array(sp.hstack([x, sp.csr_array(zeros)])) if sp.issparse(x) else np.hstack([x, zeros])
