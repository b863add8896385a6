"""Dates and times: age in days, and where in the year, the week and the day they lie, as points on a circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.moment_text import ENOUGH_FOR_MS, LAYOUTS, Layout, is_ambiguous, layout_of, seconds_of_text
from lsgnn.graph.io.transformers.number import IS_MISSING, with_indicator
from lsgnn.graph.io.transformers.saved import MOST_SECONDS, count, finite
from lsgnn.graph.shown import short
from lsgnn.graph.validate import Features

DAY = 86400.0
CYCLES = {"year": 365.2425 * DAY, "week": 7 * DAY, "day": DAY}


@dataclass(frozen=True)
class DateColumn:
    """One column of dates.

    Args:
        name: of the column.
        layout: how they are written, where they are text.
        newest: the latest, in seconds since 1970; ages are counted back from it.
        median: the age in days that takes the place of a missing one.
        missing: how many were missing in the graph it was fitted to; if none, no column says where.
        has_time: whether there are times of day.
    """

    role: ClassVar[str] = "date"
    is_sparse: ClassVar[bool] = False
    name: str
    layout: Layout
    newest: float
    median: float
    missing: int
    has_time: bool

    @classmethod
    def fit(cls, cells: Cells) -> DateColumn:
        layout = _layout(cells)
        seconds = _seconds(cells, layout)
        _require_dates(cells, seconds, layout)
        present = seconds[~np.isnan(seconds)]
        newest = float(present.max()) if len(present) else 0.0
        median = float(np.median((newest - present) / DAY)) if len(present) else 0.0
        return cls(cells.name, layout, newest, median, len(seconds) - len(present), bool((present % DAY != 0).any()))

    @property
    def cycles(self) -> list[str]:
        return [cycle for cycle in CYCLES if self.has_time or cycle != "day"]

    @property
    def feature_names(self) -> tuple[str, ...]:
        circles = [f"{self.name}: {part} of {cycle}" for cycle in self.cycles for part in ("sin", "cos")]
        return (f"{self.name}: age in days", *([f"{self.name}{IS_MISSING}"] if self.missing else []), *circles)

    @property
    def told(self) -> str:
        before = np.datetime64(int(self.newest), "s").astype("datetime64[D]")
        missing = f"; median {self.median:.0f} for {self.missing} missing" if self.missing else ""
        return f"days before {before}, time of {', '.join(self.cycles)}{missing}"

    def apply(self, cells: Cells) -> Features:
        seconds = _seconds(cells, self.layout)
        _require_dates(cells, seconds, self.layout)
        age = with_indicator((self.newest - seconds) / DAY, self.median, bool(self.missing))
        angles = [2 * np.pi * seconds / CYCLES[cycle] for cycle in self.cycles]
        circles = [np.nan_to_num(part(angle)) for angle in angles for part in (np.sin, np.cos)]
        return np.column_stack([age, *circles]).astype(np.float32)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> DateColumn:
        if values["layout"] not in LAYOUTS:
            raise ValueError(f"{values['layout']!r} is no layout of dates")
        newest, median = finite(values["newest"], MOST_SECONDS), finite(values["median"])
        missing, has_time = count(values["missing"]), bool(values["has_time"])
        return cls(values["name"], values["layout"], newest, median, missing, has_time)


def _layout(cells: Cells) -> Layout:
    if cells.is_moment:
        return "iso"
    if cells.is_number:
        largest = np.nanmax(np.abs(cells.floats(".")), initial=0)
        return "unix ms" if largest > ENOUGH_FOR_MS else "unix s"
    text = cells.text
    if (layout := layout_of(text)) is None and is_ambiguous(text):
        raise InputError(
            f"column {cells.name!r} of {cells.source.title} holds dates such as {short(pc.drop_null(text)[0].as_py())}"
            ", where day and month cannot be told apart: write them as 2024-12-31"
        )
    return layout or "iso"


def _seconds(cells: Cells, layout: Layout) -> NDArray[np.float64]:
    """Seconds since 1970 [n], NaN where one is missing or no date."""
    if not cells.is_moment:
        return seconds_of_text(cells.text, layout)
    stamps = pc.cast(cells.values, pa.timestamp("s"), safe=False)
    floats = pc.cast(pc.cast(stamps, pa.int64()), pa.float64()).to_numpy(zero_copy_only=False)
    return np.asarray(floats, dtype=np.float64)


def _require_dates(cells: Cells, seconds: NDArray[np.float64], layout: Layout) -> None:
    if cells.is_moment:
        return
    bad = np.isnan(seconds) & pc.is_valid(cells.text).to_numpy(zero_copy_only=False)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"{cells.source.at(row)} has {short(cells.text[row].as_py())} in {cells.name!r}, which is no date "
            f"({layout}): mend or empty it, or give the column another role (category, text or id)"
        )
