"""Clouds of points in the plane, one colour and mark per class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from lsgnn.report.charts.canvas import COLOURS, WIDTH, Scale, legend, px, svg, text

# beyond eight classes colours come again with another mark: circle, square, triangle, diamond
MARKS = (
    "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
    "M-2.7-2.7h5.4v5.4h-5.4z",
    "M0-3.6 3.4 2.6-3.4 2.6z",
    "M0-3.9 3.3 0 0 3.9-3.3 0z",
)


@dataclass(frozen=True)
class Cloud:
    """The points of one class: places, the words shown for each, and the node it stands for, if it can be clicked."""

    name: str
    places: Sequence[tuple[float, float]]
    hints: Sequence[str]
    nodes: Sequence[str] = ()


def scatter_chart(
    title: str, description: str, clouds: Sequence[Cloud], x_label: str, y_label: str, grey: str = ""
) -> str:
    """`grey` names the cloud (nodes without a class, say) that is drawn first and faint."""
    xs = [x for cloud in clouds for x, _ in cloud.places] or [0.0]
    ys = [y for cloud in clouds for _, y in cloud.places] or [0.0]
    css, marks, number = [], [], 0
    for cloud in clouds:
        css.append("faint-fill" if cloud.name == grey else f"s{number % COLOURS}")
        marks.append(MARKS[0 if cloud.name == grey else (number // COLOURS) % len(MARKS)])
        number += cloud.name != grey
    shown = legend([cloud.name for cloud in clouds], 16, css, marks)
    top = shown[1] + 30
    x = Scale(min(xs), max(xs), 16, WIDTH - 16)
    y = Scale(min(ys), max(ys), top + 320, top + 6)
    body = [shown[0], text(8, top - 8, f"↑ {y_label}", "start", "label")]
    body.append(f'<rect x="6" y="{px(top)}" width="{WIDTH - 12}" height="326" class="box" rx="4"/>')
    # clouds in turns of one point each, so that no class covers another merely by coming last
    layers: list[tuple[int, str]] = []
    for cloud, colour, mark in zip(clouds, css, marks, strict=True):
        for k, ((a, b), hint) in enumerate(zip(cloud.places, cloud.hints, strict=True)):
            place = f'transform="translate({px(x(a))} {px(y(b))})"'
            node = f' data-node="{escape(cloud.nodes[k])}"' if cloud.nodes else ""
            drawn = f'<path {place} d="{mark}" class="{colour} pt"{node}><title>{escape(hint)}</title></path>'
            layers.append((-1 if cloud.name == grey else k, drawn))
    body += [drawn for _, drawn in sorted(layers, key=lambda layer: layer[0])]
    body.append(text(WIDTH - 8, top + 344, f"{x_label} →", "end", "label"))
    return svg(title, description, body, top + 352)
