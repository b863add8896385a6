"""Names of many values (shops, towns, streets): each value has one of a fixed number of columns, by its hash.

Nothing is learned of the values, so a new one is as welcome as a known one. Two values may share a column.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
import pyarrow.compute as pc
import scipy.sparse as sp

from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.columns import to_numpy
from lsgnn.graph.io.transformers.saved import count
from lsgnn.graph.validate import Features

BUCKETS = 512


@dataclass(frozen=True)
class HashedColumn:
    """One column of names, of which there were `values` different ones in the graph it was fitted to."""

    role: ClassVar[str] = "category"
    is_sparse: ClassVar[bool] = True
    name: str
    values: int
    buckets: int = BUCKETS

    @classmethod
    def fit(cls, cells: Cells) -> HashedColumn:
        return cls(cells.name, int(pc.count_distinct(cells.text).as_py()))

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(f"{self.name} #{bucket}" for bucket in range(self.buckets))

    @property
    def told(self) -> str:
        return f"{self.values} values, hashed"

    def apply(self, cells: Cells) -> Features:
        encoded = pc.dictionary_encode(cells.text)
        codes = to_numpy(pc.fill_null(encoded.indices, -1))
        bucket = np.array([bucket_of(value, self.buckets) for value in encoded.dictionary.to_pylist()], np.int64)
        known = np.flatnonzero(codes >= 0)
        ones = np.ones(len(known), np.float32)
        return sp.csr_array((ones, (known, bucket[codes[known]])), shape=(len(codes), self.buckets))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> HashedColumn:
        return cls(values["name"], count(values["values"]), count(values["buckets"], least=1))


def bucket_of(value: str, buckets: int) -> int:
    """The same column for the same text on every machine, unlike Python's own hash."""
    return int.from_bytes(blake2b(value.encode(), digest_size=8).digest(), "little") % buckets
