"""Train / validation / test masks: official ones, the authors' stratified splitter, and a generic one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.arrays import as_array
from lsgnn.graph.shown import shown
from lsgnn.graph.validate import as_labels
from lsgnn.memory import require_memory

Mask = NDArray[np.bool_]
ENOUGH_TO_VALIDATE = 10  # nodes of a class; below, one node more or less decides which epoch or model is best
SMALL_CLASS = 50  # nodes; from here on a fifth is enough to validate


@dataclass(frozen=True)
class Split:
    """One division of the nodes: three disjoint masks [n]."""

    train: Mask
    val: Mask
    test: Mask

    def visible(self, y: NDArray[np.int64]) -> NDArray[np.int64]:
        """The labels that training may see: those of training and validation nodes; -1 elsewhere."""
        return np.where(self.train | self.val, y, -1)


@dataclass(frozen=True, eq=False)
class Splits:
    """Several divisions of the same nodes: three stacks of masks [S, n]."""

    train: NDArray[np.bool_]
    val: NDArray[np.bool_]
    test: NDArray[np.bool_]

    def __post_init__(self) -> None:
        for field in ("train", "val", "test"):
            mask = as_array(getattr(self, field))
            if mask.dtype != np.bool_:
                raise InputError(f"the {field} masks hold {mask.dtype} values, but a mask is boolean: use mask == 1")
            mask = np.atleast_2d(mask)
            if mask.ndim != 2 or len(mask) == 0:
                raise InputError(
                    f"the {field} masks have shape {mask.shape}: pass at least one split as [splits, nodes]"
                )
            object.__setattr__(self, field, mask)
        if not self.train.shape == self.val.shape == self.test.shape:
            shapes = [m.shape for m in (self.train, self.val, self.test)]
            raise InputError(
                f"train, validation and test masks have shapes {shapes}, but they must be equal: align them"
            )
        overlap = (self.train & self.val) | (self.train & self.test) | (self.val & self.test)
        if overlap.any():
            s, node = (int(v) for v in np.argwhere(overlap)[0])
            raise InputError(
                f"node {node} is in two masks of split {s}, but train, validation and test must not overlap: "
                "clear it in one of them"
            )

    @property
    def num_nodes(self) -> int:
        return int(self.train.shape[1])

    @property
    def covered(self) -> Mask:
        """Which nodes are in any mask of any split [n]."""
        return np.asarray((self.train | self.val | self.test).any(axis=0))

    def within(self, nodes: Mask) -> Splits:
        """The same splits without the nodes outside `nodes` [n]."""
        return Splits(self.train & nodes, self.val & nodes, self.test & nodes)

    def take(self, numbers: Sequence[int]) -> Splits:
        """Some of the splits, in the order of their numbers here."""
        if not isinstance(numbers, Iterable) or getattr(numbers, "ndim", 1) != 1:
            raise InputError(f"{shown(numbers)} does not list numbers of splits: pass a list")
        chosen = [self[s] for s in numbers]
        if not chosen:
            raise InputError(f"{shown(numbers)} names no split: pass at least one number")
        return Splits(*(np.stack([getattr(split, part) for split in chosen]) for part in ("train", "val", "test")))

    def __len__(self) -> int:
        return len(self.train)

    def __getitem__(self, s: int) -> Split:
        s = _whole("split", s)
        if not 0 <= s < len(self):
            raise InputError(f"split {s} does not exist: the graph has splits 0..{len(self) - 1}")
        return Split(self.train[s], self.val[s], self.test[s])

    def __iter__(self) -> Iterator[Split]:
        return (self[s] for s in range(len(self)))


def authors_splits(
    y: NDArray[np.int64], num_splits: int = 10, train: float = 0.48, val: float = 0.32, seed: int = 28
) -> Splits:
    """The splitter of the authors' released code, bit for bit.

    Per class ceil(train · n_c) nodes train; of all others round(val · n) validate and the rest test.
    Split s is drawn with numpy's legacy generator seeded with `seed + s`.
    """
    y = _checked(y, num_splits, train, val, seed)
    if seed + num_splits > 2**32:
        raise InputError(f"seed={seed} is too large for numpy's legacy generator: choose one below 2**32 - num_splits")
    return _stack([_authors_split(y, train, val, seed + s) for s in range(num_splits)])


def _authors_split(y: NDArray[np.int64], train: float, val: float, seed: int) -> Split:
    random = np.random.RandomState(seed)  # the legacy stream is the point
    chosen = []
    for c in range(int(y.max()) + 1):
        members = np.flatnonzero(y == c)
        random.shuffle(members)
        chosen.append(members[: math.ceil(train * len(members))])
    rest = np.setdiff1d(np.flatnonzero(y >= 0), np.concatenate(chosen))
    random.shuffle(rest)
    num_val = round(val * int((y >= 0).sum()))
    return _masks(len(y), np.concatenate(chosen), rest[:num_val], rest[num_val:])


def stratified_splits(
    y: NDArray[np.int64], num_splits: int = 10, train: float = 0.6, val: float = 0.2, seed: int = 0
) -> Splits:
    """Random splits in which every class keeps its share in each part; unlabelled nodes are in none.

    Of a class with fewer than 50 nodes at least ten validate, or half of it if that is less, and the others train and
    test in the ratio of their shares: fewer could not tell a good epoch from a lucky one. A class of one node trains; a
    class of two trains and validates; from three on every part gets at least one.
    """
    y = _checked(y, num_splits, train, val, seed)
    return _stack([_stratified_split(y, train, val, seed, s) for s in range(num_splits)])


def _stratified_split(y: NDArray[np.int64], train: float, val: float, seed: int, s: int) -> Split:
    random = np.random.default_rng([seed, s])
    parts: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for c in np.unique(y[y >= 0]):
        members = random.permutation(np.flatnonzero(y == c))
        m = len(members)
        num_val, num_test = _parts_of_class(m, train, val)
        cuts = np.split(members, [m - num_val - num_test, m - num_test])
        for part, nodes in zip(parts, cuts, strict=True):
            part.append(nodes)
    return _masks(len(y), *(np.concatenate(part) for part in parts))


def _parts_of_class(m: int, train: float, val: float) -> tuple[int, int]:
    """How many of m nodes validate and test; the others train."""
    if m < 3:
        return m - 1, 0
    test = 1 - train - val
    num_val, num_test = min(max(1, round(val * m)), m - 2), round(test * m)
    least = min(ENOUGH_TO_VALIDATE, m // 2) if m < SMALL_CLASS else 0
    if num_val < least:
        num_val = least
        num_test = round((m - num_val) * test / (train + test))
    return num_val, min(max(1, num_test), m - 1 - num_val)


def _checked(y: Any, num_splits: int, train: float, val: float, seed: int) -> NDArray[np.int64]:
    """The labels as class numbers [n], if they can be split in this way."""
    if _whole("num_splits", num_splits) < 1:
        raise InputError(f"num_splits={num_splits} gives no split: ask for at least 1")
    for name, share in (("train", train), ("val", val)):
        if not isinstance(share, Real):
            raise InputError(f"{name} is {shown(share)}, but a share is a number: pass one between 0 and 1")
    if not (train > 0 and val > 0 and train + val < 1):
        raise InputError(
            f"split shares train={train}, val={val} leave nothing for one part: choose both positive with a sum below 1"
        )
    if _whole("seed", seed) < 0:
        raise InputError(f"seed={seed} is no seed: choose a whole number from 0 on")
    labels = as_array(y)
    if labels.ndim == 0:
        raise InputError(f"y is {shown(y)}, but it is a list of classes: pass one class number per node")
    labels = as_labels(labels, len(labels)) if labels.size else labels
    if not (labels >= 0).any():
        raise InputError(
            "no node has a label, so there is nothing to split: name the column of the classes as the label, or pass y "
            "with some known ones"
        )
    what = f"num_splits={num_splits} divisions of {len(labels)} nodes"
    require_memory(6 * num_splits * len(labels), what, "ask for fewer")
    return labels


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, Integral):
        raise InputError(f"{name} is {shown(value)}, but it is a whole number: pass one")
    return int(value)


def _masks(n: int, *parts: NDArray[np.int64]) -> Split:
    masks = np.zeros((3, n), dtype=bool)
    for mask, nodes in zip(masks, parts, strict=True):
        mask[nodes] = True
    return Split(*masks)


def _stack(splits: list[Split]) -> Splits:
    return Splits(*(np.stack([getattr(s, part) for s in splits]) for part in ("train", "val", "test")))
