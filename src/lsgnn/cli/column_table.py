"""What the columns of a node table were taken for, as lines for the person at the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsgnn.graph.shown import listed

if TYPE_CHECKING:
    from lsgnn.graph.io.transformers.plan import ColumnPlan

HEAD = {"column": "column", "role": "role", "features": "features", "how": "how"}


def is_plain(row: dict[str, Any]) -> bool:
    """A column of numbers that are all there."""
    return row["role"] == "number" and not row["how"]


def lines_of(plan: ColumnPlan) -> list[str]:
    """A table with a line for each column; plain numbers, of which there may be hundreds, share one."""
    rows = plan.rows()
    plain = [row for row in rows if is_plain(row)]
    if len(plain) > 1:
        together: dict[str, Any] = {"column": listed([row["column"] for row in plain], most=3), "role": "number"}
        together |= {"features": len(plain), "how": ""}
        rows = [together, *(row for row in rows if row not in plain)]
    cells = [HEAD, *rows]
    wide, width = (max(len(row[key]) for row in cells) for key in ("column", "role"))
    return [
        f"{row['column']:{wide}}  {row['role']:{width}}  {row['features']:>8}  {row['how']}".rstrip() for row in cells
    ]
