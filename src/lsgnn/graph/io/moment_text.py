"""Dates and times written as text → seconds since 1970: ISO, and the layouts of countries where they are clear."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Layout: TypeAlias = Literal["iso", "d.m.Y", "d/m/Y", "m/d/Y", "unix s", "unix ms"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)

CLOCK = r"(?:[T ]+(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,]\d+)?)?)?"
ZONE = r"(?:\s?(?:Z|UTC|(?P<zone>[+-]\d{2}:?\d{2})))?"
DAYS = {
    "iso": r"(?P<Y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})",
    "d.m.Y": r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<Y>\d{4})",
    "d/m/Y": r"(?P<d>\d{1,2})[/-](?P<m>\d{1,2})[/-](?P<Y>\d{4})",
    "m/d/Y": r"(?P<m>\d{1,2})[/-](?P<d>\d{1,2})[/-](?P<Y>\d{4})",
}
ENOUGH_FOR_MS = 1e11  # seconds since 1970 reach it in the year 5138


def layout_of(text: Any) -> Layout | None:
    """The one layout in which every value of a cleaned column is a date; None if there is none, or more than one."""
    present = pc.drop_null(text)
    head = present.slice(0, 100)
    fitting = [layout for layout in DAYS if len(head) and not np.isnan(seconds_of_text(head, layout)).any()]  # type: ignore[arg-type]
    fitting = [layout for layout in fitting if not np.isnan(seconds_of_text(present, layout)).any()]  # type: ignore[arg-type]
    return fitting[0] if len(fitting) == 1 else None  # type: ignore[return-value]


def is_ambiguous(text: Any) -> bool:
    """True if every value could be day/month as well as month/day."""
    present = pc.drop_null(text)
    return bool(len(present)) and not any(
        np.isnan(seconds_of_text(present, layout)).any() for layout in ("d/m/Y", "m/d/Y")
    )


def seconds_of_text(text: Any, layout: Layout) -> NDArray[np.float64]:
    """Seconds since 1970 in UTC [n]; NaN where a value is missing, or no date of this layout."""
    if layout in ("unix s", "unix ms"):
        numbers = pc.if_else(pc.match_substring_regex(text, r"^-?\d+(\.\d+)?$"), text, pa.scalar(None, text.type))
        return _floats(pc.cast(numbers, pa.float64())) / (1000 if layout == "unix ms" else 1)
    parts = pc.extract_regex(text, f"^{DAYS[layout]}{CLOCK}{ZONE}$")
    Y, m, d, H, M, S = (_number(parts, part) for part in "YmdHMS")
    H, M, S = (np.where(np.isnan(Y), np.nan, np.nan_to_num(part)) for part in (H, M, S))
    last = np.where(np.isin(m, (4, 6, 9, 11)), 30, np.where(m == 2, np.where(_is_leap(Y), 29, 28), 31))
    good = (Y > 0) & (m >= 1) & (m <= 12) & (d >= 1) & (d <= last) & (H < 24) & (M < 60) & (S <= 60)
    months = np.where(good, (Y - 1970) * 12 + m - 1, 0).astype(np.int64)
    days = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + d - 1
    return np.where(good, 86400 * days + 3600 * H + 60 * M + S - _offset(parts), np.nan)


def _number(parts: Any, part: str) -> NDArray[np.float64]:
    """One part of all dates; an absent one is "" in Arrow."""
    found = pc.struct_field(parts, part)
    return _floats(pc.cast(pc.if_else(pc.equal(found, ""), pa.scalar(None, found.type), found), pa.float64()))


def _offset(parts: Any) -> NDArray[np.float64]:
    """Seconds that the clock is ahead of UTC."""
    zone = pc.fill_null(pc.struct_field(parts, "zone"), "")
    digits = pc.replace_substring(pc.if_else(pc.equal(zone, ""), "+0000", zone), ":", "")
    hours, minutes = (
        _floats(pc.cast(pc.utf8_slice_codeunits(digits, a, b), pa.float64())) for a, b in ((1, 3), (3, 5))
    )
    sign = np.where(pc.starts_with(digits, "-").to_numpy(zero_copy_only=False), -1, 1)
    return np.asarray(sign * (3600 * hours + 60 * minutes), dtype=np.float64)


def _is_leap(Y: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((Y % 4 == 0) & ((Y % 100 != 0) | (Y % 400 == 0)))


def _floats(numbers: Any) -> NDArray[np.float64]:
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
