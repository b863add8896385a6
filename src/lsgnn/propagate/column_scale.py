"""Columns of very different sizes on one scale: what is known of each, and how it is scaled.

A column of numbers gets mean zero and deviation one. A 0/1 column stays as it is, and one that is mostly zero keeps its
zeros and has its other values brought to size one: dividing by the deviation would let the rarest value speak loudest.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import reduce
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.graph.graph import Features
from lsgnn.memory import require_memory

MOSTLY = 0.25  # a column with a smaller share of values that are not zero is mostly zero
VALUES_AT_ONCE = 1 << 20
MIXED = 10.0  # a column this many times as large as others decides a row's length alone
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ColumnScale:
    """What is known of each column [d]; that of two parts of a table can be joined.

    Args:
        rows: how many values each column has [1].
        nonzero: how many of them are not zero.
        mean, variance: of all values.
        binary: 1.0 where all values are 0 or 1.
    """

    rows: Floats
    nonzero: Floats
    mean: Floats
    variance: Floats
    binary: Floats

    @classmethod
    def of(cls, x: Features) -> ColumnScale:
        """Of the columns of x [n, d]; sparse ones stay sparse."""
        if not sp.issparse(x):
            return reduce(cls.joined, (cls._of_dense(x[rows]) for rows in _parts(x)))
        csr: sp.csr_array = x
        n, d = csr.shape
        values, column = csr.data.astype(np.float64), csr.indices

        def total(of_values: NDArray[Any]) -> Floats:
            return np.asarray(np.bincount(column, of_values, minlength=d), dtype=np.float64)

        mean, absent = total(values) / n, n - total(np.ones(len(values)))
        variance = (total((values - mean[column]) ** 2) + absent * mean**2) / n
        others = total((values != 0) & (values != 1))
        return cls(np.array([n], np.float64), total(values != 0), mean, variance, (others == 0).astype(np.float64))

    @classmethod
    def _of_dense(cls, x: NDArray[Any]) -> ColumnScale:
        dense = np.asarray(x, dtype=np.float64)
        nonzero = np.count_nonzero(dense, axis=0).astype(np.float64)
        others = ((dense != 0) & (dense != 1)).sum(axis=0)
        rows = np.array([len(dense)], np.float64)
        return cls(rows, nonzero, dense.mean(axis=0), dense.var(axis=0), (others == 0).astype(np.float64))

    def joined(self, other: ColumnScale) -> ColumnScale:
        rows = self.rows + other.rows
        share, gap = other.rows / rows, other.mean - self.mean
        return ColumnScale(
            rows,
            self.nonzero + other.nonzero,
            self.mean + share * gap,
            (1 - share) * self.variance + share * other.variance + share * (1 - share) * gap**2,
            self.binary * other.binary,
        )

    @property
    def mostly_zero(self) -> NDArray[np.bool_]:
        return np.asarray(self.nonzero < MOSTLY * self.rows)

    @property
    def size(self) -> Floats:
        """Root mean square of the values that are not zero."""
        squares = self.rows * (self.variance + self.mean**2)
        return np.asarray(np.sqrt(np.divide(squares, self.nonzero, out=np.zeros_like(squares), where=self.nonzero > 0)))

    @property
    def shift(self) -> Floats:
        """What is subtracted from a column."""
        return np.where(self.mostly_zero | (self.binary > 0), 0.0, self.mean)

    @property
    def factor(self) -> Floats:
        """What a column is multiplied by then; 0 for a constant one, which deviates by rounding at most."""
        deviation = np.sqrt(self.variance)
        size = np.where(self.mostly_zero, self.size, np.where(deviation > 1e-7 * np.abs(self.mean), deviation, 0.0))
        return np.where(self.binary > 0, 1.0, np.divide(1.0, size, out=np.zeros_like(size), where=size > 0))

    def apply(self, x: Features) -> Features:
        """The columns of x [n, d] on this scale; a sparse x stays sparse, and only columns that are shifted fill up."""
        if sp.issparse(x):
            return self._apply_to_sparse(x)
        require_memory(
            4 * x.shape[0] * x.shape[1],
            f"to standardise {x.shape[0]} × {x.shape[1]} features",
            "use feature_norm=l2, which keeps zeros",
        )
        return _shifted_and_scaled(x, self.shift, self.factor)

    def _apply_to_sparse(self, x: sp.csr_array) -> sp.csr_array:
        """A quarter or more of a column that is shifted is there already, so that it fills up to four times as many
        entries at most. Where that makes half of all, the other columns are filled up as well: nothing has to be put in
        order then.
        """
        shifted, others = np.flatnonzero(self.shift), np.flatnonzero(self.shift == 0)
        if not len(shifted):
            return sp.csr_array(x @ sp.diags_array(self.factor)).astype(np.float32)
        (n, d), rest = x.shape, sp.csr_array(x[:, others])
        fill_all = 2 * (n * len(shifted) + rest.nnz) > n * d
        filled = n * (d if fill_all else len(shifted))
        require_memory(16 * filled, f"to standardise {len(shifted)} columns", "use feature_norm=l2")
        if fill_all:
            return _all_stored(_shifted_and_scaled(x.toarray(), self.shift, self.factor))
        full = _all_stored(_shifted_and_scaled(x[:, shifted].toarray(), self.shift[shifted], self.factor[shifted]))
        scaled = sp.csr_array(rest @ sp.diags_array(self.factor[others])).astype(np.float32)
        order = np.argsort(np.concatenate([others, shifted]), kind="stable")
        ordered = sp.csr_array(sp.hstack([scaled, full], format="csr")[:, order])
        ordered.sort_indices()  # torch takes no others
        return ordered

    def is_like(self, other: ColumnScale) -> bool:
        """True if both scale a column in the same way, but for the order of sums."""
        if self.mean.shape != other.mean.shape:
            return False
        near = np.abs(self.shift - other.shift) <= 1e-6 * (np.abs(self.mean) + np.sqrt(self.variance))
        return bool(near.all()) and np.allclose(self.factor, other.factor, rtol=1e-6, atol=0)

    def to_dict(self) -> dict[str, list[float]]:
        return {field.name: getattr(self, field.name).tolist() for field in fields(self)}

    @classmethod
    def from_dict(cls, values: dict[str, list[float]]) -> ColumnScale:
        return cls(**{name: np.array(value, np.float64) for name, value in values.items()})


def _shifted_and_scaled(x: NDArray[Any], shift: Floats, factor: Floats) -> NDArray[np.float32]:
    out = np.empty(x.shape, np.float32)
    for rows in _parts(x):
        out[rows] = (np.asarray(x[rows], np.float64) - shift) * factor
    return out


def _all_stored(x: NDArray[np.float32]) -> sp.csr_array:
    """A sparse matrix with every entry of x, zeros as well: to look for them costs more than to keep them."""
    (n, d), index = x.shape, np.int32 if x.size < 2**31 else np.int64
    return sp.csr_array((x.ravel(), np.tile(np.arange(d, dtype=index), n), d * np.arange(n + 1, dtype=index)), (n, d))


def _parts(x: Features) -> list[slice]:
    """Rows to look at together, so that numbers of double precision take little memory."""
    at_once = max(1, VALUES_AT_ONCE // x.shape[1])
    return [slice(start, start + at_once) for start in range(0, x.shape[0], at_once)]


def mixed_sizes(x: Features) -> tuple[float, float] | None:
    """Sizes of a small and of the largest column, if they are far apart; None if rows of length one show them all.

    Small is the lower tenth of the columns that are not zero. Tables in which every column is mostly zero (words,
    codes) are left alone.
    """
    columns = ColumnScale.of(x)
    if columns.mostly_zero.all():
        return None
    sizes = columns.size[columns.size > 0]
    small, largest = float(np.quantile(sizes, 0.1, method="lower")), float(sizes.max())
    return (small, largest) if largest > MIXED * small else None
