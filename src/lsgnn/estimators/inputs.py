"""What the scikit-learn estimators are given, as the rest of the package reads it: settings, seeds, labels, ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.graph.arrays import as_array
from lsgnn.graph.node_folds import is_known
from lsgnn.graph.splits import Split


def config_of(settings: Mapping[str, Any], seed: int) -> LSGNNConfig:
    """Settings as the rest of the package reads them; numpy numbers, as searches draw them, become plain ones."""
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in settings.items()}
    return LSGNNConfig.from_dict(plain | {"seed": seed})


def seed_of(random_state: Any) -> int:
    """An integer stays what it is; None and generators draw one."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def encode(y: Any, n: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Class numbers [n], -1 where unknown, and the sorted classes."""
    y = as_array(y)
    if y.shape != (n,):
        raise InputError(f"y has shape {y.shape}, but there are {n} rows: pass one label per row, -1 where unknown")
    known = is_known(y)
    check_classification_targets(y[known])  # measurements are no classes
    classes, codes = np.unique(y[known], return_inverse=True)
    out = np.full(n, -1, dtype=np.int64)
    out[known] = codes
    return out, classes


def hold_out(y: NDArray[np.int64], fraction: float, seed: int) -> Split:
    """Of every class the given share validates, at least one node of two; the rest trains.

    Where every class has a single node there is nothing to hold out, and the training nodes choose the epoch.
    """
    if not 0 < fraction < 1:
        raise InputError(f"validation_fraction={fraction} is out of range: it must be between 0 and 1")
    random, val = np.random.default_rng(seed), np.zeros(len(y), dtype=bool)
    for c in np.unique(y[y >= 0]):
        members = random.permutation(np.flatnonzero(y == c))
        val[members[: min(max(1, round(fraction * len(members))), len(members) - 1)]] = True
    train = (y >= 0) & ~val
    return Split(train, val if val.any() else train, np.zeros(len(y), dtype=bool))


def id_column(nodes: Any) -> list[Any]:
    """Node ids [m] or [m, 1] as a list."""
    ids = as_array(nodes)
    if ids.ndim == 2 and ids.shape[1] == 1:
        ids = ids[:, 0]
    if ids.ndim != 1:
        raise InputError(f"the node ids have shape {ids.shape}: pass [m] or [m, 1]")
    return list(ids.tolist())
