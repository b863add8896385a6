"""What all charts share: the svg element with its accessible name, scales, ticks, axes, text and legends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal
from zlib import crc32

WIDTH = 420  # of every chart, in its own units: on a phone 390 px wide the text is still 10 px high
COLOURS = 8  # of the palette: s0 … s7 filled, l0 … l7 drawn
CHARACTER = 6.6  # mean width of a character of the charts' 12.5 px text
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Scale:
    """A straight line from data to pixels; data without extent sits in the middle."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return (self.start + self.stop) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Round numbers (1, 2 or 5 times a power of ten apart) within the data."""
        if self.high == self.low:
            return [self.low]
        rough = (self.high - self.low) / about
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(
            m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.8
        )  # rather one tick more than half as many
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]


@dataclass(frozen=True)
class Frame:
    """The plot area inside a chart, with a scale on each side."""

    x: Scale
    y: Scale

    def x_axis(self, label: str, ticks: Sequence[tuple[float, str]] | None = None) -> str:
        """Tick labels below the plot and the axis label below them."""
        bottom, right = self.y.start, self.x.stop
        shown = [(v, tick_text(v)) for v in self.x.ticks()] if ticks is None else ticks
        marks = [text(self.x(v), bottom + 17, name, "middle") for v, name in shown]
        base = line(self.x.start, bottom, right, bottom, "axis")
        return base + "".join(marks) + text((self.x.start + right) / 2, bottom + 36, label, "middle", "label")

    def y_axis(self, label: str, unit: str = "") -> str:
        """Grid lines with their values on the left and the axis label above the plot, where it needs no turned head."""
        marks = []
        for v in self.y.ticks():
            marks.append(line(self.x.start, self.y(v), self.x.stop, self.y(v), "grid"))
            marks.append(text(self.x.start - 7, self.y(v) + 4, tick_text(v) + unit, "end"))
        return "".join(marks) + text(8, self.y.stop - 12, label, "start", "label")


def svg(title: str, description: str, body: Iterable[str], height: float, width: float = WIDTH) -> str:
    """One chart; screen readers get the title and the description."""
    key = f"{crc32(f'{title}|{description}'.encode()):08x}"
    css = "chart big" if width > WIDTH else "chart"
    return (
        f'<svg class="{css}" role="img" viewBox="0 0 {px(width)} {px(height)}" aria-labelledby="t{key} d{key}">'
        f'<title id="t{key}">{escape(title)}</title><desc id="d{key}">{escape(description)}</desc>{"".join(body)}</svg>'
    )


def text(x: float, y: float, words: str, anchor: Anchor = "start", css: str = "tick", full: str = "") -> str:
    """Words at a place; `full` is shown when the pointer rests on them."""
    hint = f"<title>{escape(full)}</title>" if full and full != words else ""
    return f'<text x="{px(x)}" y="{px(y)}" text-anchor="{anchor}" class="{css}">{hint}{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    return f'<line x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}" class="{css}"/>'


def rect(x: float, y: float, width: float, height: float, css: str, hint: str = "", more: str = "") -> str:
    inside = f"<title>{escape(hint)}</title>" if hint else ""
    size = f'width="{px(max(width, 0))}" height="{px(max(height, 0))}"'
    return f'<rect x="{px(x)}" y="{px(y)}" {size} class="{css}"{more}>{inside}</rect>'


def dot(x: float, y: float, radius: float, css: str, hint: str = "") -> str:
    inside = f"<title>{escape(hint)}</title>" if hint else ""
    return f'<circle cx="{px(x)}" cy="{px(y)}" r="{px(radius)}" class="{css}">{inside}</circle>'


def legend(names: Sequence[str], y: float, css: Sequence[str], marks: Sequence[str] = ()) -> tuple[str, float]:
    """Coloured squares (or the given marks) with names, in as many lines as they need; also where the last line is."""
    out, x = [], 8.0
    for number, (name, colour) in enumerate(zip(names, css, strict=True)):
        words = shorten(name, 24)
        need = 16 + CHARACTER * len(words) + 14
        if x > 8 and x + need > WIDTH:
            x, y = 8.0, y + 19
        mark = rect(x, y - 10, 11, 11, colour, more=' rx="2"')
        if marks:
            place = f'transform="translate({px(x + 6)} {px(y - 4.5)}) scale(1.5)"'
            mark = f'<path {place} d="{marks[number]}" class="{colour}"/>'
        out += [mark, text(x + 16, y, words, full=name)]
        x += need
    return "".join(out), y


def padded(low: float, high: float) -> tuple[float, float]:
    """Limits of an axis with a little room, so that no mark touches the frame."""
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def shorten(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def tick_text(value: float) -> str:
    """A number as short as it can be: 0.2, 15, 3k."""
    if abs(value) >= 10_000:
        return f"{value / 1000:g}k"
    return f"{value:.6g}".replace("-", "−")


def px(value: float) -> str:
    """A coordinate with at most one decimal, so that pages stay small."""
    return f"{value:.1f}".removesuffix(".0")
