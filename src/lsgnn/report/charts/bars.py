"""Bars: lying ones for categories with names, standing ones for histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsgnn.report.charts.canvas import CHARACTER, WIDTH, Frame, Scale, rect, shorten, svg, text

LINE = 26  # height of one lying bar with its gap


@dataclass(frozen=True)
class Bar:
    """One category: its length and the words written behind it."""

    label: str
    value: float
    shown: str


def bar_chart(title: str, description: str, bars: Sequence[Bar], axis: str) -> str:
    """Lying bars from zero, longest label on the left, values written behind the bars."""
    left = 16 + 1.1 * CHARACTER * min(20, max((len(bar.label) for bar in bars), default=1))  # names may be wide
    right = WIDTH - 16 - CHARACTER * max((len(bar.shown) for bar in bars), default=1)
    x = Scale(0, max((bar.value for bar in bars), default=1) or 1, left, right)
    body = [text(8, 16, axis, "start", "label")]
    for row, bar in enumerate(bars):
        y = 30 + LINE * row
        body.append(text(left - 8, y + 13, shorten(bar.label, 20), "end", full=bar.label))
        body.append(rect(left, y, x(bar.value) - left, LINE - 8, "s0", f"{bar.label}: {bar.shown}", ' rx="2"'))
        body.append(text(x(bar.value) + 6, y + 13, bar.shown))
    return svg(title, description, body, 34 + LINE * len(bars))


def column_chart(
    title: str, description: str, labels: Sequence[str], counts: Sequence[int], x_label: str, y_label: str
) -> str:
    """Standing bars. As many labels as counts name the bars; one more names the edges between them."""
    at_edges = len(labels) == len(counts) + 1
    frame = Frame(Scale(0, max(len(counts), 1), 46, WIDTH - 12), Scale(0, max(counts, default=0) or 1, 230, 34))
    room = (frame.x.stop - frame.x.start) / max(len(counts), 1)
    widest = CHARACTER * max((len(label) for label in labels), default=1) + 6
    every = max(1, -(-int(widest) // max(1, int(room))))
    ticks = [(k + (0 if at_edges else 0.5), label) for k, label in enumerate(labels) if k % every == 0]
    body = [frame.y_axis(y_label)]
    for k, count in enumerate(counts):
        name = f"{labels[k]} to {labels[k + 1]}" if at_edges else labels[k]
        top = frame.y(count)
        body.append(rect(frame.x(k) + 1.5, top, room - 3, frame.y.start - top, "s0", f"{name}: {count}", ' rx="1.5"'))
    body.append(frame.x_axis(x_label, ticks))
    return svg(title, description, body, 274)
