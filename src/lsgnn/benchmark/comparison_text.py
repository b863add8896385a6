"""A `Comparison` as text for a terminal or a README: tables in Markdown, and the verdict below them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsgnn.benchmark.evaluate import shown, summary
from lsgnn.benchmark.score_scale import titled

if TYPE_CHECKING:
    from lsgnn.benchmark.comparison import Comparison

MOST_CLASSES = 12  # columns of the table of classes
UNKNOWN = "–"


def markdown(comparison: Comparison) -> str:
    """The board, the recall of each class, and the verdict, one below the other."""
    parts = [_board(comparison), _classes(comparison), "\n".join(comparison.verdict.sentences) + "\n"]
    return "\n".join(part for part in parts if part)


def _board(comparison: Comparison) -> str:
    metric = titled(comparison.metric)
    head = ["model", f"validation {metric}", "to the first [95 %]", f"test {metric}", "to the first [95 %]"]
    lines = [
        [
            row.title,
            shown(summary(row.val)),
            "" if row.val_difference is None else str(row.val_difference),
            shown(summary(row.test)),
            "" if row.test_difference is None else str(row.test_difference),
            f"{row.num_parameters:,}",
            UNKNOWN if row.cpu_seconds is None else f"{row.cpu_seconds:.1f}",
        ]
        for row in comparison.rows
    ]
    return _table([*head, "parameters", "CPU seconds"], lines)


def _classes(comparison: Comparison) -> str:
    """Empty where no row tells; the first classes only where there are many."""
    names = comparison.class_names[:MOST_CLASSES]
    more = len(comparison.class_names) - len(names)
    rows = [row for row in comparison.rows if row.recall]
    if not rows:
        return ""
    lines = [
        [row.title, *(UNKNOWN if share is None else f"{share:.1f}" for share in row.recall[: len(names)])]
        for row in rows
    ]
    rest = f"\n({more} more classes are in the JSON document and on the page.)\n" if more else ""
    return _table(["test recall, %", *names], lines) + rest


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = "|" + "---|" * len(head)
    return "\n".join([_line(head), rule, *map(_line, lines)]) + "\n"


def _line(cells: Sequence[str]) -> str:
    """Names are the user's own: none may begin a new cell or line."""
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"
