"""How figures look, and how they become files that do not change when nothing changed.

Colours are those of Okabe and Ito (safe for colour-blind readers), maps are `viridis` and, for differences, `PuOr`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsgnn.errors import InputError
from lsgnn.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#555555"
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "lsgnn",  # matplotlib names SVG elements at random otherwise
    "font.family": "DejaVu Sans",  # ships with matplotlib, so that every machine draws the same
    "svg.fonttype": "path",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}
DPI = 150


@contextmanager
def drawing(width: float, height: float, rows: int = 1, columns: int = 1, **more: Any) -> Iterator[tuple[Figure, Any]]:
    """A figure of some inches with axes [rows, columns], in the house style and on no screen."""
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas
    except ImportError as error:
        raise InputError("figures need matplotlib, which is not installed: pip install matplotlib") from error
    with matplotlib.rc_context(STYLE):
        figure = Canvas(figsize=(width, height))
        FigureCanvasAgg(figure)
        yield figure, figure.subplots(rows, columns, squeeze=False, **more)


def heat_map(
    axes: Axes, values: Any, ticks: Sequence[float], title: str, low: float, high: float, colours: str = "viridis"
) -> Any:
    """A square map of values[i, j] at (λ1, λ2) = (ticks[i], ticks[j]), every second cell labelled."""
    import numpy as np

    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    extent = (ticks[0] - step / 2, ticks[-1] + step / 2) * 2
    grid = np.asarray(values, dtype=float).T
    image = axes.imshow(grid, origin="lower", extent=extent, vmin=low, vmax=high, cmap=colours)
    axes.set(title=title, xlabel="λ₁", ylabel="λ₂", xticks=ticks[::2], yticks=ticks[::2])
    return image


def save_figure(figure: Figure, stem: Path) -> list[Path]:
    """Writes `<stem>.svg` and `<stem>.png` without dates or versions; returns both."""
    import matplotlib

    written = []
    metadata: dict[str, dict[str, Any]] = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
    for kind, facts in metadata.items():
        content, path = io.BytesIO(), stem.with_name(f"{stem.name}.{kind}")
        with matplotlib.rc_context(STYLE):
            figure.savefig(content, format=kind, dpi=DPI, metadata=facts)
        with write_atomically(path) as file:
            file.write(content.getvalue())
        written.append(path)
    return written
