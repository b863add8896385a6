"""One column of a table as its transformer sees it: text, numbers or moments, whatever its file stores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io.columns import as_floats, as_text, decoded, is_list, is_number, is_string
from lsgnn.graph.io.number_text import Decimal, cleaned, decimal_of, parsed
from lsgnn.graph.io.open_table import Source


@dataclass(frozen=True, eq=False)
class Cells:
    """The values of one column [n], and where they are from."""

    name: str
    values: Any  # an Arrow array
    source: Source

    @classmethod
    def of(cls, table: pa.Table, name: str, source: Source) -> Cells:
        values = decoded(table, name)
        if pa.types.is_floating(values.type) and pc.any(missing := pc.is_nan(values)).as_py():
            values = pc.if_else(missing, pa.scalar(None, values.type), values)
        if pa.types.is_duration(values.type):
            values = pc.divide(pc.cast(pc.cast(values, pa.int64()), pa.float64()), _per_second(values.type.unit))
        if is_string(values.type):
            values = cleaned(values)
        return cls(name, values, source)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_number(self) -> bool:
        return is_number(self.values.type)

    @property
    def is_list(self) -> bool:
        return is_list(self.values.type)

    @property
    def is_moment(self) -> bool:
        return bool(pa.types.is_date(self.values.type) or pa.types.is_timestamp(self.values.type))

    @cached_property
    def text(self) -> Any:
        """The values as text, in one spelling whatever the file: 3.0 is 3, True is true; null where one is missing."""
        text = cleaned(as_text(self.values, self.name, self.source))
        text = pc.replace_substring_regex(text, r"^(-?\d+)\.0+$", r"\1")
        lower = pc.utf8_lower(text)
        return pc.if_else(pc.is_in(lower, value_set=pa.array(["true", "false"], lower.type)), lower, text)

    def floats(self, decimal: Decimal) -> NDArray[np.float64]:
        """The values as numbers [n], NaN where one is missing; raises where one is none, or infinite."""
        values = self.values
        if not self.is_number:
            text = cleaned(as_text(values, self.name, self.source))
            values = parsed(text, decimal_of(text, self.name, self.source, decimal) or decimal, self.name, self.source)
        floats = as_floats(values)
        if np.isinf(floats).any():
            row = int(np.isinf(floats).argmax())
            raise InputError(
                f"{self.source.at(row)} has an infinite value in {self.name!r}, or one that no float32 holds "
                "(3.4e+38): mend or empty it"
            )
        return floats

    def whole_singles(self) -> NDArray[np.float32] | None:
        """The values as they are [n], if they are float32, finite, and none is missing; else None."""
        if self.values.type != pa.float32() or self.values.null_count:
            return None
        singles: NDArray[np.float32] = self.values.to_numpy()
        return singles if np.isfinite(singles).all() else None

    def require_present(self, missing: NDArray[np.bool_]) -> None:
        """Raises at the first missing value, where none may be."""
        if missing.any():
            where = self.source.at(int(missing.argmax()))
            raise InputError(f"{where} has no value for {self.name!r}: fill it in, or leave the column out")


def _per_second(unit: str) -> float:
    return {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit]
