"""Lists of numbers, equally long: a column of x for each place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from lsgnn.errors import InputError
from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.columns import numbers
from lsgnn.graph.io.transformers.saved import count
from lsgnn.graph.validate import Features


@dataclass(frozen=True)
class VectorColumn:
    """One column of lists of `width` numbers, none of which is missing."""

    role: ClassVar[str] = "number"
    is_sparse: ClassVar[bool] = False
    name: str
    width: int

    @classmethod
    def fit(cls, cells: Cells) -> VectorColumn:
        return cls(cells.name, _matrix(cells).shape[1])

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}[{j}]" for j in range(self.width))

    @property
    def told(self) -> str:
        return f"lists of {self.width}"

    def apply(self, cells: Cells) -> Features:
        x = _matrix(cells)
        if x.shape[1] != self.width:
            raise InputError(
                f"column {self.name!r} of {cells.source.title} holds lists of {x.shape[1]} numbers, but the model "
                f"learned from lists of {self.width}: pass those"
            )
        return x

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> VectorColumn:
        return cls(values["name"], count(values["width"], least=1))


def _matrix(cells: Cells) -> Any:
    x = numbers(pa.table({cells.name: cells.values}), cells.name, cells.source)
    if x.ndim != 2:
        raise InputError(f"column {cells.name!r} of {cells.source.title} holds no lists: pass a list for each node")
    return x
