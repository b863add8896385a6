"""What a column of a node table is: number, category, date, text, id or constant. Deterministic, and rather careful.

Numbers stay numbers unless all are distinct integers under a name like `customer_id`. Text is a date only if every
value is one in a single layout; a category if its values repeat; text if they have several words; an id if all differ.
"""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias, get_args

import pyarrow as pa
import pyarrow.compute as pc

from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.columns import is_string, not_numbers
from lsgnn.graph.io.moment_text import layout_of
from lsgnn.graph.io.number_text import Decimal, decimal_of, mark_of

Role: TypeAlias = Literal["number", "category", "date", "text", "id", "constant"]
ROLES: tuple[Role, ...] = get_args(Role)

FEW = 20  # so many different values are a category in any table
REPEATED = 10  # and so are more, if a value stands so many times on average
WORDS = 3.0  # text has so many words on average
NUMBERING = re.compile(r"(^|[^a-z])(id|ids|uid|uuid|guid|key|pk|nr|idx|index|rowid|unnamed: ?\d+)$")


def inferred_role(cells: Cells, decimal: Decimal) -> Role:
    """The role of one column; `decimal` is the mark of the table (see `table_decimal`)."""
    values = cells.values
    present = len(values) - values.null_count
    if not present:
        return "constant"
    if cells.is_list:
        return "number"
    if cells.is_number or cells.is_moment:
        low, high = pc.min_max(values).values() if _has_order(values) else (0, 1)
        if present == len(values) > 1 and low == high:
            return "constant"
        return "date" if cells.is_moment else "id" if _is_numbering(cells) else "number"
    if not (is_string(values.type) or pa.types.is_binary(values.type) or pa.types.is_time(values.type)):
        raise not_numbers(values, cells.name, cells.source)
    return _role_of_text(cells, present, decimal)


def _role_of_text(cells: Cells, present: int, decimal: Decimal) -> Role:
    text = cells.text
    distinct = int(pc.count_distinct(text).as_py())
    if distinct == 1 and present == len(text) > 1:
        return "constant"
    if decimal_of(text, cells.name, cells.source, decimal) is not None:
        return "number"
    if layout_of(text) is not None:
        return "date"
    if distinct <= max(FEW, present / REPEATED):
        return "category"
    if mean_words(text) >= WORDS:
        return "text"
    return "id" if distinct == present else "category"


def table_decimal(columns: list[Cells]) -> Decimal:
    """A comma if the numbers of some column can only have been written with one."""
    texts = (cells.values for cells in columns if is_string(cells.values.type))
    return "," if any(mark_of(text) == "," for text in texts) else "."


def is_named_like_an_id(name: str) -> bool:
    """
    >>> [is_named_like_an_id(name) for name in ("customerId", "row index", "Unnamed: 0", "paid", "age")]
    [True, True, True, False, False]
    """
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return not name or NUMBERING.search(snake) is not None


def mean_words(text: Any) -> float:
    return float(pc.mean(pc.count_substring_regex(pc.drop_null(text), r"\S+")).as_py())


def _is_numbering(cells: Cells) -> bool:
    values = cells.values
    whole = pa.types.is_integer(values.type) and is_named_like_an_id(cells.name)
    return whole and len(values) > 1 and pc.count_distinct(values, mode="all").as_py() == len(values)


def _has_order(values: Any) -> bool:
    return not pa.types.is_decimal(values.type)
