"""Before and after: a line per case from one column of values to another, so that a change of order shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from lsgnn.report.charts.canvas import WIDTH, Frame, Scale, dot, line, padded, px, svg, text

GAP = 13.0  # between two words in a column


@dataclass(frozen=True)
class Slope:
    """One case: its name, its two values, and which colour it has."""

    name: str
    before: float
    after: float
    series: int = 7


def slope_chart(title: str, description: str, slopes: Sequence[Slope], before: str, after: str, y_label: str) -> str:
    """Names stand on the right, in the order of the values after, moved apart where they would touch."""
    numbers = [v for slope in slopes for v in (slope.before, slope.after)]
    frame = Frame(Scale(0, 1, 60, WIDTH - 110), Scale(*padded(min(numbers), max(numbers)), 300, 44))
    body = [frame.y_axis(y_label)]
    for x, words in ((0, before), (1, after)):
        body.append(line(frame.x(x), frame.y.stop, frame.x(x), frame.y.start, "axis"))
        body.append(text(frame.x(x), frame.y.start + 20, words, "middle", "label"))
    places = _apart([frame.y(slope.after) for slope in slopes], frame.y.stop, frame.y.start)
    for slope, place in sorted(zip(slopes, places, strict=True), key=lambda pair: pair[0].series != 7):
        ends = f"{px(frame.x(0))} {px(frame.y(slope.before))} {px(frame.x(1))} {px(frame.y(slope.after))}"
        hint = f"{slope.name}: {slope.before:.2f}, then {slope.after:.2f}"
        body.append(f'<polyline points="{ends}" class="line l{slope.series}"><title>{escape(hint)}</title></polyline>')
        body += [
            dot(frame.x(x), frame.y(v), 4, f"s{slope.series}", hint) for x, v in ((0, slope.before), (1, slope.after))
        ]
        body.append(text(frame.x(1) + 10, place + 4, slope.name, "start", "name" if slope.series != 7 else "tick"))
    return svg(title, description, body, 332)


def _apart(places: Sequence[float], top: float, bottom: float) -> list[float]:
    """The same places moved apart, in their order, so that words of one line each fit between top and bottom."""
    order = sorted(range(len(places)), key=lambda k: places[k])
    moved = list(places)
    for above, k in zip([None, *order], order, strict=False):
        moved[k] = max(moved[k], top if above is None else moved[above] + GAP)
    over = (moved[order[-1]] - bottom) if order else 0.0
    for below, k in zip([None, *order[::-1]], order[::-1], strict=False):
        moved[k] = min(moved[k], bottom if below is None else moved[below] - GAP) if over > 0 else moved[k]
    return moved
