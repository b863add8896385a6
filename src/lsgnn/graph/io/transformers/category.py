"""Names of few values: a 0/1 column of x for each, all 0 where the value is missing or new."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from lsgnn.errors import LSGNNWarning
from lsgnn.graph.feature_names import IS
from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.columns import to_numpy
from lsgnn.graph.validate import Features

MOST_VALUES = 256  # a category of more is hashed
DENSE_VALUES = 100  # x is sparse where one of more is in it


@dataclass(frozen=True)
class CategoryColumn:
    """One column of names, whose `values` are sorted; where all are missing, one column of zeros stands for it."""

    role: ClassVar[str] = "category"
    name: str
    values: tuple[str, ...]

    @classmethod
    def fit(cls, cells: Cells) -> CategoryColumn:
        return cls(cells.name, tuple(sorted(pc.unique(pc.drop_null(cells.text)).to_pylist())))

    @property
    def is_sparse(self) -> bool:
        return len(self.values) > DENSE_VALUES

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}{IS}{value}" for value in self.values or ("",))

    @property
    def told(self) -> str:
        return f"{len(self.values)} values"

    def apply(self, cells: Cells) -> Features:
        codes = to_numpy(pc.fill_null(pc.index_in(cells.text, value_set=pa.array(self.values, cells.text.type)), -1))
        self._warn_of_new(cells)
        known = np.flatnonzero(codes >= 0)
        ones = np.ones(len(known), np.float32)
        x = sp.csr_array((ones, (known, codes[known])), shape=(len(codes), max(1, len(self.values))))
        return x if self.is_sparse else x.toarray()

    def _warn_of_new(self, cells: Cells) -> None:
        new = sorted(set(pc.unique(pc.drop_null(cells.text)).to_pylist()) - set(self.values))
        if new:
            more = f" and {len(new) - 3} more" if len(new) > 3 else ""
            warnings.warn(
                f"{', '.join(map(repr, new[:3]))}{more} in column {self.name!r} of {cells.source.title} "
                f"{'is' if len(new) == 1 else 'are'} new to the model: counted as none",
                LSGNNWarning,
                stacklevel=2,
            )

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> CategoryColumn:
        return cls(values["name"], tuple(map(str, values["values"])))
