"""Columns of features by name: a model that learned from (age, size) must not read (size, age).

A value of a category has a column of its own, `city=Bonn`, which other tables need not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
import scipy.sparse as sp

from lsgnn.errors import InputError
from lsgnn.graph.validate import Features


def in_order_of(x: Features, names: Sequence[str], wanted: Sequence[str], whose: str) -> Features:
    """The columns of x [n, d] that are called `wanted`, in that order; others are left out.

    Where one side has no names, the columns stay as they are. A value of a category that no row has is a column of
    zeros; one that is not wanted, because the model has never seen it, is left out like any other.
    """
    if not names or not wanted or tuple(names) == tuple(wanted):
        return x
    place = {name: column for column, name in enumerate(names)}
    absent = x.shape[1]  # the number of a column of zeros behind the others
    categories = {name.partition("=")[0] for name in names if "=" in name}
    for name in wanted:
        category, is_value, _ = name.partition("=")
        if is_value and category in categories:
            place.setdefault(name, absent)
        if name not in place:
            near = get_close_matches(name, names, n=1)
            hint = f"is {near[0]!r} meant? Rename it" if near else "add it"
            raise InputError(f"{whose} has no feature column {name!r}, which the model learned from: {hint}")
    columns = [place[name] for name in wanted]
    return (_with_zeros_behind(x) if absent in columns else x)[:, columns]


def _with_zeros_behind(x: Features) -> Features:
    zeros = np.zeros((x.shape[0], 1), np.float32)
    return sp.csr_array(sp.hstack([x, sp.csr_array(zeros)])) if sp.issparse(x) else np.hstack([x, zeros])
