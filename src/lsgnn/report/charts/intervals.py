"""Points with their intervals: over ordered bins (standing), or one named row each (lying) beside a range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lsgnn.report.charts.canvas import (
    CHARACTER,
    WIDTH,
    Frame,
    Scale,
    dot,
    line,
    padded,
    rect,
    shorten,
    svg,
    text,
    tick_text,
)

LINE = 42  # height of one row


@dataclass(frozen=True)
class Point:
    """One bin: its name, the value with its interval, and how many cases are behind it."""

    label: str
    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class RangeRow:
    """One named value; `inner` is the interval around it, `outer` a range to compare it with, `points` what it is the
    mean of, each with a name."""

    label: str
    value: float
    shown: str
    inner: tuple[float, float] | None = None
    outer: tuple[float, float] | None = None
    series: int = 0
    points: tuple[tuple[str, float], ...] = ()


def interval_chart(
    title: str,
    description: str,
    points: Sequence[Point],
    x_label: str,
    y_label: str,
    limits: tuple[float, float] = (0.0, 1.0),
    reference: tuple[float, str] | None = None,
) -> str:
    """Values over bins in order, with the count of each bin below its name and a dashed line to compare with."""
    frame = Frame(Scale(0, max(len(points), 1), 46, WIDTH - 12), Scale(*limits, 226, 34))
    room = (frame.x.stop - frame.x.start) / max(len(points), 1)
    body = [frame.y_axis(y_label), frame.x_axis("", [])]
    if reference is not None:
        y = frame.y(reference[0])
        body.append(line(frame.x.start, y, frame.x.stop, y, "mark"))
        body.append(text(frame.x.stop, y - 5, reference[1], "end", "marked"))
    for k, point in enumerate(points):
        x = frame.x(k + 0.5)
        label = shorten(point.label, max(3, int(room / CHARACTER)))
        low, high = (min(max(v, limits[0]), limits[1]) for v in (point.low, point.high))
        body.append(text(x, frame.y.start + 17, label, "middle", full=point.label))
        body.append(text(x, frame.y.start + 32, _count(point.count), "middle", "faint"))
        body.append(line(x, frame.y(low), x, frame.y(high), "whisker l0"))
        hint = f"{point.label}: {point.value:.3f} [{point.low:.3f}, {point.high:.3f}], {point.count} nodes"
        body.append(dot(x, frame.y(point.value), 5, "s0", hint))
    body.append(text((frame.x.start + frame.x.stop) / 2, frame.y.start + 52, x_label, "middle", "label"))
    return svg(title, description, body, 286)


def range_chart(
    title: str, description: str, rows: Sequence[RangeRow], axis: str, limits: tuple[float, float] | None = None
) -> str:
    """A row per value: name above, dot with whiskers, small dots, and a grey bar where `outer` gives a range."""
    shown = ((row.value, *(row.inner or ()), *(row.outer or ()), *(v for _, v in row.points)) for row in rows)
    numbers = [v for values in shown for v in values if math.isfinite(v)]
    low, high = limits or padded(min(numbers, default=0.0), max(numbers, default=1.0))
    right = WIDTH - 14 - CHARACTER * max((len(row.shown) for row in rows), default=1)
    x = Scale(low, high, 14, right)
    bottom = 14 + LINE * len(rows)
    body = [line(x(v), 6, x(v), bottom, "grid") + text(x(v), bottom + 17, tick_text(v), "middle") for v in x.ticks()]
    for k, row in enumerate(rows):
        y = 36 + LINE * k
        body.append(text(14, y - 13, shorten(row.label, 60), "start", "name", full=row.label))
        if row.outer is not None and all(map(math.isfinite, row.outer)):
            a, b = (x(v) for v in row.outer)
            hint = f"{row.label}, by chance: {row.outer[0]:.3f} to {row.outer[1]:.3f}"
            body.append(rect(min(a, b) - 2, y - 5, abs(b - a) + 4, 11, "null", hint, ' rx="3"'))
        if row.inner is not None:
            a, b = (x(min(max(v, low), high)) for v in row.inner)
            body.append(line(a, y, b, y, f"whisker l{row.series}"))
        for name, value in row.points:
            if low <= value <= high:
                body.append(dot(x(value), y + 9, 2.5, f"s{row.series} pt", f"{row.label}, {name}: {value:.2f}"))
        if math.isfinite(row.value):
            body.append(dot(x(row.value), y, 5.5, f"s{row.series}", f"{row.label}: {row.shown}"))
        body.append(text(right + 8, y + 4, row.shown))
    body.append(text((14 + right) / 2, bottom + 36, axis, "middle", "label"))
    return svg(title, description, body, bottom + 44)


def _count(count: int) -> str:
    return f"{count / 1000:.0f}k" if count >= 10_000 else str(count)
