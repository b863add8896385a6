"""Points over a common axis, with a line to compare them with: trials of a search, in order or by a hyperparameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsgnn.report.charts.canvas import CHARACTER, WIDTH, Frame, Scale, dot, legend, px, shorten, svg


@dataclass(frozen=True)
class Dot:
    """A point: its place, its look (a class of the style sheet) and the words shown for it."""

    x: float
    y: float
    css: str
    hint: str
    radius: float = 3.2


def point_chart(
    title: str,
    description: str,
    dots: Sequence[Dot],
    x_label: str,
    y_label: str,
    limits: tuple[float, float],
    ticks: Sequence[tuple[float, str]] | None = None,
    x_limits: tuple[float, float] = (0.0, 1.0),
    steps: Sequence[tuple[float, float]] = (),
    names: Sequence[tuple[str, str]] = (),
) -> str:
    """`limits` are those of the y axis: points beyond are drawn on its edge. `steps` is a line that rises in steps.

    `names` says what the looks mean: (words, class of the style sheet).
    """
    shown, below = legend([n for n, _ in names], 16, [css for _, css in names]) if names else ("", -2.0)
    top = below + 38
    frame = Frame(Scale(*x_limits, 46, WIDTH - 28), Scale(*limits, top + 190, top))
    if ticks is not None:
        room = (frame.x.stop - frame.x.start) / max(1, len(ticks))
        ticks = [(place, shorten(words, max(3, int(room / CHARACTER)))) for place, words in ticks]
    body = [shown, frame.y_axis(y_label), frame.x_axis(x_label, ticks)]
    if steps:
        x, y = steps[0]
        path = f"M{px(frame.x(x))} {px(_within(frame, y))}"
        path += "".join(f"H{px(frame.x(x))}V{px(_within(frame, y))}" for x, y in steps[1:])
        body.append(f'<path d="{path}" class="line l1"/>')
    body += [dot(frame.x(d.x), _within(frame, d.y), d.radius, d.css, d.hint) for d in dots]
    return svg(title, description, body, top + 234)


def _within(frame: Frame, y: float) -> float:
    return frame.y(min(max(y, frame.y.low), frame.y.high))
