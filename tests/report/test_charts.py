"""Charts are well-formed XML, say what they show, and never let a label become markup."""

import math
from xml.etree import ElementTree

import pytest

from lsgnn.report.charts import (
    Bar,
    Cloud,
    Line,
    Point,
    RangeRow,
    bar_chart,
    column_chart,
    curve_chart,
    heat_map,
    interval_chart,
    line_chart,
    range_chart,
    reliability_chart,
    scatter_chart,
)
from lsgnn.report.charts.canvas import Scale, shorten, tick_text

EVIL = '<script>alert("x")</script> & co'
POINT = Point(EVIL, 0.5, 0.4, 0.6, 12)
CHARTS = {
    "bars": bar_chart(EVIL, EVIL, [Bar(EVIL, 3, EVIL), Bar("b", 0, "0")], EVIL),
    "columns": column_chart(EVIL, EVIL, [EVIL, "b"], [1, 2], EVIL, EVIL),
    "lines": line_chart(EVIL, EVIL, [Line(EVIL, [1, 2], [0.5, 1]), Line("b", [1, 2], [1, 2])], EVIL, EVIL, (1, EVIL)),
    "intervals": interval_chart(EVIL, EVIL, [POINT], EVIL, EVIL, reference=(0.5, EVIL)),
    "ranges": range_chart(EVIL, EVIL, [RangeRow(EVIL, 0.5, EVIL, (0.4, 0.6), (0.0, 0.1), points=((EVIL, 0.3),))], EVIL),
    "points": scatter_chart(EVIL, EVIL, [Cloud(EVIL, [(0, 0), (1, 1)], [EVIL, EVIL])], EVIL, EVIL, grey=EVIL),
    "heat": heat_map(EVIL, EVIL, [EVIL, "b"], [[3, 1], [0, 0]], EVIL, EVIL),
    "reliability": reliability_chart(EVIL, EVIL, [(EVIL, [(0.5, POINT)])]),
    "curves": curve_chart(EVIL, EVIL, [Line(EVIL, [0, 1], [1, 0.2])], EVIL, EVIL, [(0, 0.2, 1, 0.2)]),
}
EMPTY = {
    "bars": bar_chart("t", "d", [], "x"),
    "columns": column_chart("t", "d", [], [], "x", "y"),
    "lines": line_chart("t", "d", [Line("a", [1], [math.nan])], "x", "y"),
    "intervals": interval_chart("t", "d", [], "x", "y"),
    "ranges": range_chart("t", "d", [RangeRow("a", math.nan, "–", None, (math.nan, math.nan))], "x"),
    "points": scatter_chart("t", "d", [], "x", "y"),
    "heat": heat_map("t", "d", [], [], "x", "y"),
    "reliability": reliability_chart("t", "d", [("a", [])]),
    "curves": curve_chart("t", "d", [], "x", "y", []),
}


@pytest.mark.parametrize("name", CHARTS)
def test_labels_never_become_markup(name: str) -> None:
    root = ElementTree.fromstring(CHARTS[name])
    assert "script" not in {element.tag for element in root.iter()}
    assert root.find("title").text == EVIL


@pytest.mark.parametrize("chart", [*CHARTS.values(), *EMPTY.values()])
def test_charts_name_themselves_for_screen_readers(chart: str) -> None:
    root = ElementTree.fromstring(chart)
    title, description = root.find("title"), root.find("desc")
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"


@pytest.mark.parametrize("name", EMPTY)
def test_charts_of_nothing_hold_no_nan(name: str) -> None:
    assert "nan" not in EMPTY[name]


def test_places_by_hand() -> None:
    root = ElementTree.fromstring(bar_chart("t", "d", [Bar("a", 1, "1"), Bar("b", 2, "2")], "x"))
    half, full = (float(bar.get("width")) for bar in root.findall("rect"))
    assert full == pytest.approx(2 * half, abs=0.1)


def test_a_line_is_broken_where_a_value_is_missing() -> None:
    chart = line_chart("t", "d", [Line("a", [1, 2, 3, 4], [1, math.nan, 2, 3])], "x", "y")
    path = ElementTree.fromstring(chart).find("path").get("d")
    assert path.count("M") == 2
    assert path.count("L") == 1


def test_round_ticks() -> None:
    assert Scale(0, 1, 0, 10).ticks() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert Scale(3, 3, 0, 10).ticks() == [3]
    assert Scale(3, 3, 0, 10)(3) == 5


def test_short_words_and_numbers() -> None:
    assert shorten("neighbourhood", 8) == "neighbo…"
    assert [tick_text(v) for v in (0.2, 15000, -0.5)] == ["0.2", "15k", "−0.5"]


def test_what_a_value_is_the_mean_of_is_shown_with_it_and_stays_on_the_axis() -> None:
    rows = [RangeRow("gcn", 2.0, "2.0", (1.0, 3.0), points=(("split 0", 1.0), ("split 1", 3.0), ("split 2", 9.0)))]
    chart = range_chart("t", "d", rows, "x", limits=(0.0, 4.0))
    assert chart.count(' pt"') == 2  # 9.0 is beyond the axis
    assert "gcn, split 1: 3.00" in chart
    assert "9.00" in range_chart("t", "d", rows, "x")  # which has room for all of them where it is free


def test_chance_is_drawn_where_it_is() -> None:
    chart = curve_chart("t", "d", [Line("a", [0, 1], [1, 1])], "x", "y", [(0, 1, 1, 1)])
    root = ElementTree.fromstring(chart)
    (chance,) = (line for line in root.findall("line") if line.get("class") == "mark")
    assert chance.get("y1") == chance.get("y2") == root.find("path").get("d").split()[1].split("L")[0]


def test_precision_is_drawn_in_steps() -> None:
    lines = [Line("a", [0, 0.5, 1], [1, 1, 0.5])]
    path = ElementTree.fromstring(curve_chart("t", "d", lines, "x", "y", [], steps=True)).find("path").get("d")
    assert [command for command in path if command.isalpha()] == ["M", "V", "H", "V", "H"]
