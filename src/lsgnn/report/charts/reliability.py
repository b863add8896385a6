"""The reliability diagram: how often the model is right against how sure it was; on the diagonal they agree."""

from __future__ import annotations

from collections.abc import Sequence

from lsgnn.report.charts.canvas import WIDTH, Frame, Scale, dot, legend, line, px, svg, text
from lsgnn.report.charts.intervals import Point

FEW = 5


def reliability_chart(title: str, description: str, series: Sequence[tuple[str, Sequence[tuple[float, Point]]]]) -> str:
    """Each series is a name and its points: confidence, and accuracy with interval and count."""
    css = [f"s{number}" for number in range(len(series))]
    names, below = legend([name for name, _ in series], 16, css)
    top = below + 38
    frame = Frame(Scale(0, 1, 46, WIDTH - 14), Scale(0, 1, top + 230, top))
    body = [names, frame.y_axis("share that is right"), frame.x_axis("confidence")]
    body.append(line(frame.x(0), frame.y(0), frame.x(1), frame.y(1), "mark"))
    body.append(text(frame.x(0.98), frame.y(0.05), "dashed: as sure as right", "end", "marked"))
    for number, (name, points) in enumerate(series):
        places = [f"{px(frame.x(at))} {px(frame.y(point.value))}" for at, point in points]
        body.append(f'<polyline points="{" ".join(places)}" class="line l{number}"/>')
        for at, point in points:
            # intervals of several series would hide each other, and those of a few nodes span everything
            if number == 0 and point.count >= FEW:
                body.append(line(frame.x(at), frame.y(point.low), frame.x(at), frame.y(point.high), "whisker l0"))
            hint = f"{name}: confidence {at:.2f}, right {point.value:.2f}, {point.count} nodes"
            body.append(
                dot(frame.x(at), frame.y(point.value), 2.5 + 3 * min(1.0, point.count / 100), f"s{number}", hint)
            )
    return svg(title, description, body, top + 274)
