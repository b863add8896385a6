"""Lines over a common axis: learning curves, with one place on the axis marked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lsgnn.report.charts.canvas import COLOURS, WIDTH, Frame, Scale, dot, legend, line, padded, px, svg, text

MAX_POINTS = 400  # per line: more cannot be seen at this size
DOTTED = 16  # up to so many points are drawn as such


@dataclass(frozen=True)
class Line:
    """A named line; points that are not finite break it."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]


def line_chart(
    title: str,
    description: str,
    lines: Sequence[Line],
    x_label: str,
    y_label: str,
    mark: tuple[float, str] | None = None,
    limits: tuple[float, float] | None = None,
    x_ticks: Sequence[float] | None = None,
) -> str:
    """`mark` is a place on the x axis and the words beside it; `limits` are those of the y axis, if not the data's."""
    xs = [x for one in lines for x in one.xs] or [0.0, 1.0]
    ys = [y for one in lines for y in one.ys if math.isfinite(y)] or [0.0, 1.0]
    low, high = limits or padded(min(ys), max(ys))
    if limits is None and min(ys) >= 0:
        low = 0.0
    css = [f"s{number % COLOURS}" for number in range(len(lines))]
    names, below = legend([one.name for one in lines], 16, css) if len(lines) > 1 else ("", -2.0)
    top = below + 38
    frame = Frame(Scale(min(xs), max(xs), 46, WIDTH - 14), Scale(low, high, top + 190, top))
    ticks = None if x_ticks is None else [(x, f"{x:g}") for x in x_ticks]
    body = [names, frame.y_axis(y_label), frame.x_axis(x_label, ticks)]
    if mark is not None:
        x = frame.x(mark[0])
        left_half = x < (frame.x.start + frame.x.stop) / 2
        body.append(line(x, top, x, frame.y.start, "mark"))
        height = frame.y.start - 8 if _is_high(lines, mark[0], (low + high) / 2) else top + 12
        body.append(text(x + (6 if left_half else -6), height, mark[1], "start" if left_half else "end", "marked"))
    body += [f'<path d="{_path(one, frame)}" class="line l{number % COLOURS}"/>' for number, one in enumerate(lines)]
    for number, one in enumerate(lines):
        if len(one.xs) <= DOTTED:
            pairs = [(x, y) for x, y in zip(one.xs, one.ys, strict=True) if math.isfinite(y)]
            body += [dot(frame.x(x), frame.y(y), 4, css[number], f"{one.name}, {x:g}: {y:.3f}") for x, y in pairs]
    return svg(title, description, body, top + 234)


def _is_high(lines: Sequence[Line], at: float, middle: float) -> bool:
    """True if the lines lie in the upper half around a place, where words would cover them."""
    near = [y for one in lines for x, y in zip(one.xs, one.ys, strict=True) if math.isfinite(y) and x <= at]
    return bool(near) and sorted(near)[len(near) // 2] > middle


def _path(one: Line, frame: Frame) -> str:
    every = max(1, math.ceil(len(one.xs) / MAX_POINTS))
    commands, pen_down = [], False
    for x, y in list(zip(one.xs, one.ys, strict=True))[::every]:
        if math.isfinite(y):
            y = min(max(y, frame.y.low), frame.y.high)
            commands.append(f"{'L' if pen_down else 'M'}{px(frame.x(x))} {px(frame.y(y))}")
        pen_down = math.isfinite(y)
    return "".join(commands)
