"""A node table → its `ColumnPlan`: roles as told or as inferred, transformers fitted to all rows, never to labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from lsgnn.errors import InputError
from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.columns import explaining, shown_cell
from lsgnn.graph.io.moment_text import is_ambiguous
from lsgnn.graph.io.number_text import POINT, Decimal
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.roles import Role, inferred_role, table_decimal
from lsgnn.graph.io.transformers.category import MOST_VALUES, CategoryColumn
from lsgnn.graph.io.transformers.date import DateColumn
from lsgnn.graph.io.transformers.hashed import HashedColumn
from lsgnn.graph.io.transformers.number import IS_MISSING, NumberColumn
from lsgnn.graph.io.transformers.plan import ColumnPlan, Transformer
from lsgnn.graph.io.transformers.text import TextColumn
from lsgnn.graph.io.transformers.vector import VectorColumn

Missing: TypeAlias = Literal["impute", "error"]
MOSTLY_NUMBERS = 0.8


def fit_plan(
    table: pa.Table,
    names: Sequence[str],
    source: Source,
    *,
    roles: Mapping[str, Role],
    listed: Collection[str] = (),
    missing: Missing = "impute",
) -> tuple[ColumnPlan, list[str]]:
    """The plan for the columns `names`, and a note on each that is imputed or left out.

    Args:
        roles: roles that are told; others are inferred.
        listed: columns that were asked for by name, so that none of them is left out.
        missing: "error" refuses tables in which a number or a date is missing.
    """
    made: list[Transformer] = []
    left_out: list[tuple[str, str]] = []
    notes: list[str] = []
    columns = {}
    for name in names:
        with explaining(table[name].type, name, source):
            columns[name] = Cells.of(table, name, source)
    decimal = table_decimal(list(columns.values()))
    for name, cells in columns.items():
        with explaining(table[name].type, name, source):
            role = roles.get(name) or _role(cells, decimal, name in listed)
            if name not in roles:
                notes += _doubts(cells, role)
            if role in ("id", "constant"):
                left_out.append((name, role))
                notes.append(_why_left_out(cells, role, told=name in roles))
                continue
            transformer = _fitted(cells, role, decimal)
        if isinstance(transformer, NumberColumn | DateColumn) and transformer.missing:
            if missing == "error":
                cells.require_present(pc.is_null(cells.values).to_numpy(zero_copy_only=False))
            notes.append(_how_imputed(transformer))
        if transformer.feature_names:
            made.append(transformer)
        else:
            left_out.append((name, role))
            notes.append(f"column {name!r} left out: it holds no word")
    return ColumnPlan(tuple(made), tuple(left_out)), notes


def _role(cells: Cells, decimal: Decimal, is_listed: bool) -> Role:
    role = inferred_role(cells, decimal)
    if not is_listed or role not in ("id", "constant"):
        return role
    return "number" if cells.is_number or cells.is_list else "date" if cells.is_moment else "category"


def _fitted(cells: Cells, role: Role, decimal: Decimal) -> Transformer:
    match role:
        case "number":
            return VectorColumn.fit(cells) if cells.is_list else NumberColumn.fit(cells, decimal)
        case "date":
            return DateColumn.fit(cells)
        case "text":
            return TextColumn.fit(cells)
        case "category":
            many = pc.count_distinct(cells.text).as_py() > MOST_VALUES
            return HashedColumn.fit(cells) if many else CategoryColumn.fit(cells)
        case _:
            raise InputError(f"column {cells.name!r} has the role {role!r}, which is no feature: leave it out")


def _how_imputed(transformer: NumberColumn | DateColumn) -> str:
    what = f"{transformer.missing} missing {'number' if isinstance(transformer, NumberColumn) else 'date'}(s)"
    median = f"{transformer.median:g}" + (" days of age" if isinstance(transformer, DateColumn) else "")
    return (
        f"column {transformer.name!r}: {what} imputed by the median ({median}); the feature "
        f"{transformer.name + IS_MISSING!r} says where"
    )


def _why_left_out(cells: Cells, role: Role, told: bool) -> str:
    if told:
        return f"column {cells.name!r} left out, as told ({role})"
    if role == "id":
        return f"column {cells.name!r} left out: it looks like an id, different for every node"
    one = pc.drop_null(cells.values)
    held = f"every node has {shown_cell(one[0])}" if len(one) else "it is empty"
    return f"column {cells.name!r} left out: {held}"


def _doubts(cells: Cells, role: Role) -> list[str]:
    """What a careful reader would ask back about a column of text."""
    if role not in ("category", "text", "id") or cells.is_number:
        return []
    present = pc.drop_null(cells.text)
    numbers = pc.match_substring_regex(present, POINT)
    if pc.mean(numbers).as_py() >= MOSTLY_NUMBERS:
        odd = pc.filter(present, pc.invert(numbers))
        if len(odd):
            return [
                f"column {cells.name!r} would be numbers but for {str(odd[0].as_py())[:40]!r} and the like: mend or "
                "empty these, or it stays a category"
            ]
    if is_ambiguous(cells.text):
        return [
            f"column {cells.name!r} may hold dates, but day and month cannot be told apart in "
            f"{present[0].as_py()!r}: write them as 2024-12-31"
        ]
    return []
