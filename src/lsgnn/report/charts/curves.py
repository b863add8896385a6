"""Curves between 0 and 1 on both axes, with the line of chance: precision and recall, ROC."""

from __future__ import annotations

from collections.abc import Sequence

from lsgnn.report.charts.canvas import WIDTH, Frame, Scale, legend, line, px, svg, text
from lsgnn.report.charts.lines import Line

Segment = tuple[float, float, float, float]  # x and y of either end, in data


def curve_chart(
    title: str,
    description: str,
    curves: Sequence[Line],
    x_label: str,
    y_label: str,
    chance: Sequence[Segment],
    steps: bool = False,
) -> str:
    """One line per curve; `chance` is dashed, one segment or, where curves have their own, one for each.

    With `steps` a value holds back to the point before, as precision does: a straight line would promise too much.
    """
    names, below = legend([one.name for one in curves], 16, [f"s{number}" for number in range(len(curves))])
    top = below + 38
    frame = Frame(Scale(0, 1, 46, WIDTH - 14), Scale(0, 1, top + 230, top))
    body = [names, frame.y_axis(y_label), frame.x_axis(x_label)]
    for x1, y1, x2, y2 in chance:
        body.append(line(frame.x(x1), frame.y(y1), frame.x(x2), frame.y(y2), "mark"))
    body.append(_words(frame, chance))
    for number, one in enumerate(curves):
        places = [(px(frame.x(x)), px(frame.y(y))) for x, y in zip(one.xs, one.ys, strict=True)]
        moves = [f"V{y}H{x}" if steps else f"L{x} {y}" for x, y in places[1:]]
        start = "".join(f"M{x} {y}" for x, y in places[:1])
        body.append(f'<path d="{start}{"".join(moves)}" class="line l{number}"/>')
    return svg(title, description, body, top + 274)


def _words(frame: Frame, chance: Sequence[Segment]) -> str:
    """Beside a rising line at the lower right; beside a level one just above (or below) it, where there is room."""
    if not chance:
        return ""
    if any(y1 != y2 for _, y1, _, y2 in chance):
        return text(frame.x(0.98), frame.y(0.05), "dashed: chance", "end", "marked")
    highest, lowest = max(segment[1] for segment in chance), min(segment[1] for segment in chance)
    place = frame.y(highest) - 6 if highest < 0.5 else frame.y(lowest) + 15
    return text(frame.x(0.02), place, "dashed: chance", "start", "marked")
