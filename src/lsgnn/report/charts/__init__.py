"""Charts as inline SVG strings, drawn by pure functions: plain numbers in, text out.

Colours are CSS classes (`s0` … `s7`, `ink`, `grid`) that the page's style sheet defines for light and dark, from the
palette of Okabe and Ito, which people with any kind of colour vision can tell apart. All text is escaped here.
"""

from lsgnn.report.charts.bars import Bar, bar_chart, column_chart
from lsgnn.report.charts.curves import curve_chart
from lsgnn.report.charts.heatmap import heat_map
from lsgnn.report.charts.intervals import Point, RangeRow, interval_chart, range_chart
from lsgnn.report.charts.lines import Line, line_chart
from lsgnn.report.charts.reliability import reliability_chart
from lsgnn.report.charts.scatter import Cloud, scatter_chart

__all__ = [
    "Bar",
    "Cloud",
    "Line",
    "Point",
    "RangeRow",
    "bar_chart",
    "column_chart",
    "curve_chart",
    "heat_map",
    "interval_chart",
    "line_chart",
    "range_chart",
    "reliability_chart",
    "scatter_chart",
]
