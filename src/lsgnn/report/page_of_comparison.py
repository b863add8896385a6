"""`comparison_page`: the leader board of `lsgnn compare` alone, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsgnn.files import write_text
from lsgnn.report.leaderboard import leaderboard
from lsgnn.report.page import render

if TYPE_CHECKING:
    from lsgnn.benchmark.comparison import Comparison


def comparison_page(comparison: Comparison, command: str = "") -> str:
    """The whole page as text; `command` fits the chosen model (by default the call in Python does)."""
    board = leaderboard(comparison, command)
    return render("comparison.html", title=f"{comparison.dataset}: {len(comparison.rows)} models compared", board=board)


def write_comparison_page(comparison: Comparison, path: str | Path, command: str = "") -> None:
    """Writes the page, whole or not at all."""
    write_text(path, comparison_page(comparison, command))
