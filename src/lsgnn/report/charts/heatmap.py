"""A table of counts in colour: the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence

from lsgnn.report.charts.canvas import CHARACTER, WIDTH, px, rect, shorten, svg, text

DARK = 0.55  # share from which the number in a cell needs the colour that shows on a filled ground
MIN_CELL = 32
FEW = 4  # classes up to which there is room for large cells
LONGEST = 16  # characters of a class name


def heat_map(
    title: str, description: str, names: Sequence[str], counts: Sequence[Sequence[int]], rows: str, columns: str
) -> str:
    """Square cells, coloured by their share of the row's sum; the counts are written in them where they fit."""
    C = len(names)
    longest = CHARACTER * min(LONGEST, max((len(name) for name in names), default=1))
    left, right, top = 24 + longest, 0.45 * longest, 34 + 0.75 * longest  # the last column's name leans to the right
    cell = max(MIN_CELL, min(60.0 if C <= FEW else 44.0, (WIDTH - left - right) / max(C, 1)))
    width = max(float(WIDTH), left + cell * C + right)
    left += max(0.0, (width - left - cell * C - right) / 2)  # a small matrix stands in the middle
    body = [text(8, 16, f"{rows} ↓   {columns} →", "start", "label")]
    for k, name in enumerate(names):
        x, y = left + cell * (k + 0.5), top + cell * (k + 0.5)
        turned = f'<g transform="translate({px(x + 3)} {px(top - 7)}) rotate(-48)">'
        body.append(turned + text(0, 0, shorten(name, LONGEST), full=name) + "</g>")
        body.append(text(left - 7, y + 4, shorten(name, LONGEST), "end", full=name))
    for i, row in enumerate(counts):
        total = sum(row)
        for j, count in enumerate(row):
            share = count / total if total else 0.0
            hint = f"{names[i]} taken for {names[j]}: {count} of {total} ({share:.0%})"
            css, place = ("s0" if i == j else "s3"), (left + cell * j, top + cell * i)
            body.append(rect(place[0] + 1, place[1] + 1, cell - 2, cell - 2, "cell"))
            body.append(rect(place[0] + 1, place[1] + 1, cell - 2, cell - 2, css, hint, f' fill-opacity="{share:.2f}"'))
            if count and CHARACTER * len(str(count)) < cell - 2:
                ink = "tick on-fill" if share > DARK else "tick on-cell"
                body.append(text(place[0] + cell / 2, place[1] + cell / 2 + 4, str(count), "middle", ink))
    return svg(title, description, body, top + cell * C + 8, width)
