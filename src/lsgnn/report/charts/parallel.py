"""Parallel coordinates: a standing axis per quantity, and a line across all of them per case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from lsgnn.report.charts.canvas import legend, line, px, shorten, svg, text

STEP = 118  # between two axes
HEIGHT = 250


@dataclass(frozen=True)
class Strand:
    """One case: its place on every axis, between 0 and 1, its look and the words shown for it."""

    places: Sequence[float]
    css: str
    hint: str


def parallel_chart(
    title: str,
    description: str,
    axes: Sequence[tuple[str, Sequence[tuple[float, str]]]],
    strands: Sequence[Strand],
    names: Sequence[tuple[str, str]],
) -> str:
    """`axes` are names and ticks (place between 0 and 1, words); later strands lie above earlier ones."""
    left, width = 70.0, 70.0 + STEP * (len(axes) - 1) + 85
    shown, below = legend([n for n, _ in names], 16, [css for _, css in names])
    top = below + 40
    xs = [left + STEP * k for k in range(len(axes))]
    body = [shown]
    for strand in strands:
        corners = " ".join(f"{px(x)} {px(top + HEIGHT * (1 - at))}" for x, at in zip(xs, strand.places, strict=True))
        body.append(
            f'<polyline points="{corners}" class="{strand.css}"><title>{escape(strand.hint)}</title></polyline>'
        )
    for number, (x, (name, ticks)) in enumerate(zip(xs, axes, strict=True)):
        body.append(line(x, top, x, top + HEIGHT, "axis"))
        lift = 14 if number % 2 else 0  # names in two rows, so that long ones do not touch
        body.append(text(x, top + HEIGHT + 20 + lift, shorten(name, 24), "middle", "label", full=name))
        for at, words in ticks:
            y = top + HEIGHT * (1 - at)
            body.append(line(x - 3, y, x + 3, y, "axis"))
            body.append(text(x - 6, y + 4, shorten(words, 13), "end", "tick halo", full=words))
    return svg(title, description, body, top + HEIGHT + 44, width)
