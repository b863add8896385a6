"""Numbers written as text: which mark stands before the decimals, and whether thousands are marked.

`1234.5`, `1234,5` and `1.234,5` are one number in three countries. A column says itself which it is, unless all of it
looks like `1,234`; then the other columns of its table decide (see `roles`).
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from lsgnn.errors import InputError
from lsgnn.graph.io.csv_file import MISSING
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.shown import short

Decimal: TypeAlias = Literal[".", ","]
Mark: TypeAlias = Literal[".", ",", "either", "thousands"]

TEXT = pa.large_string()
POINT = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
COMMA = r"^[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?$"
UNSURE = r"^[+-]?[1-9]\d{0,2},\d{3}$"
THOUSANDS = r"^[+-]?[1-9]\d{0,2}((,\d{3})+(\.\d*)?|(\.\d{3})+(,\d*)?|([ '\x{2019}\x{a0}\x{202f}]\d{3})+([.,]\d*)?)$"
CODE = r"^0\d"  # 01234 is a code, not a number


def cleaned(text: Any) -> Any:
    """Text without blanks around it; what stands for "nothing" is null."""
    text = pc.utf8_trim_whitespace(pc.cast(text, TEXT))
    return pc.if_else(pc.is_in(text, value_set=pa.array(MISSING, TEXT)), pa.scalar(None, TEXT), text)


def mark_of(text: Any) -> Mark | None:
    """How the numbers of a cleaned column are written; None where it holds something else."""
    present = pc.drop_null(text)
    if not len(present) or not _all(present.slice(0, 10), r"^[+-]?[\d.,]") or _any(present, CODE):
        return None  # without a look at a million names
    if _all(present, POINT):
        return "."
    if _all(present, COMMA):
        with_comma = pc.filter(present, pc.match_substring(present, ","))
        return "either" if _all(with_comma, UNSURE) else ","
    known = [_matches(present, pattern) for pattern in (POINT, COMMA, THOUSANDS)]
    either = pc.or_(pc.or_(known[0], known[1]), known[2])
    return "thousands" if pc.all(either).as_py() and pc.any(known[2]).as_py() else None


def decimal_of(text: Any, name: str, source: Source, others: Decimal = ".") -> Decimal | None:
    """The decimal mark of a cleaned column, None if it holds no numbers; raises where thousands are marked.

    `others` is the mark of the other columns, which decides about `1,234`.
    """
    mark = mark_of(text)
    if mark == "thousands" or (mark == "either" and others == "."):
        row = int(pc.index(pc.fill_null(_matches(text, THOUSANDS), False), True).as_py())
        raise InputError(
            f"{source.at(row)} has {short(text[row].as_py())} in {name!r}, a number with a thousands mark: write such "
            "numbers without it, or give the column another role (category, text or id)"
        )
    return "," if mark == "either" else mark


def parsed(text: Any, decimal: Decimal, name: str, source: Source) -> Any:
    """A cleaned column as float64, true and false as 1 and 0; raises at the first value that is no number."""
    points = pc.replace_substring(text, ",", ".") if decimal == "," else text
    for word, digit in (("true", "1"), ("false", "0")):
        points = pc.if_else(pc.equal(pc.utf8_lower(points), word), pa.scalar(digit, TEXT), points)
    good = _matches(points, POINT)
    if not pc.all(good, min_count=0).as_py():
        row = int(pc.index(good, False).as_py())
        raise InputError(
            f"{source.at(row)} has {short(text[row].as_py())} in {name!r}, which is no number: mend or empty it, or "
            "give the column another role (category, text or id)"
        )
    return pc.cast(pc.utf8_ltrim(points, "+"), pa.float64())  # Arrow reads no plus


def _matches(text: Any, pattern: str) -> Any:
    return pc.match_substring_regex(text, pattern)


def _all(text: Any, pattern: str) -> bool:
    return bool(pc.all(_matches(text, pattern), min_count=0).as_py())


def _any(text: Any, pattern: str) -> bool:
    return bool(pc.any(_matches(text, pattern)).as_py())
