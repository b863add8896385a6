"""More validation nodes for tiny graphs: the same splits with their training and validation nodes dealt out anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.splits import Split, Splits


def resampled(splits: Splits, y: NDArray[np.int64], repeats: int = 3, seed: int = 0) -> Splits:
    """Every split `repeats` times: as it is, and with its training and validation nodes dealt out anew.

    Each deal keeps the test nodes and, per class, how many nodes train and how many validate. To tune on all of them
    instead of on the splits alone judges settings by most labelled nodes, not by the few that happen to validate
    (59 on Texas), and leaves each split's own test nodes alone.

    Args:
        y: class numbers [n].
    """
    if repeats < 1:
        raise InputError(f"repeats={repeats} gives no split: ask for at least 1")
    deals = [
        split if r == 0 else _dealt(split, y, np.random.default_rng([seed, s, r]))
        for s, split in enumerate(splits)
        for r in range(repeats)
    ]
    return Splits(*(np.stack([getattr(deal, part) for deal in deals]) for part in ("train", "val", "test")))


def _dealt(split: Split, y: NDArray[np.int64], random: np.random.Generator) -> Split:
    train = np.zeros_like(split.train)
    known = split.train | split.val
    for c in np.unique(y[known]):
        members = random.permutation(np.flatnonzero(known & (y == c)))
        train[members[: int((split.train & (y == c)).sum())]] = True
    return Split(train, known & ~train, split.test)
