"""Columns of a table → ids, classes, numbers, splits. Pure functions between `open_table` and `read_tables`.

No loop runs over rows: everything is an Arrow kernel or a numpy call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io.csv_file import MISSING
from lsgnn.graph.io.number_text import TEXT, cleaned, decimal_of, parsed
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.shown import short
from lsgnn.graph.splits import Splits
from lsgnn.memory import require_memory

T = TypeVar("T")
MOST = np.finfo(np.float32).max
AT_ONCE = 1 << 16  # texts
SPLIT_NAMES = {"train": "train", "val": "val", "valid": "val", "validation": "val", "test": "test"}


@contextmanager
def explaining(kind: Any, name: str, source: Source) -> Iterator[None]:
    """Arrow lacks many a pair of function and type; what it raises there becomes a sentence about the column."""
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, ValueError, TypeError, OverflowError, MemoryError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(
            f"column {name!r} of {source.title} holds {kind}, which cannot be read here ({reason}): use text or "
            "numbers there"
        ) from error


def explained(read: Callable[[pa.Table, str, Source], T]) -> Callable[[pa.Table, str, Source], T]:
    @wraps(read)
    def explained_read(table: pa.Table, name: str, source: Source) -> T:
        with explaining(table[name].type, name, source):
            return read(table, name, source)

    return explained_read


@explained
def ids(table: pa.Table, name: str, source: Source) -> Any:
    """The ids of one column, integers as integers and everything else as text; none may be missing."""
    column = decoded(table, name)
    if pa.types.is_floating(column.type):  # pandas turns integers into floats where a value is missing
        column = _whole_numbers(column)
    if not pa.types.is_integer(column.type):
        column = as_text(column, name, source)
        if source.is_text:
            column = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.equal(column, ""), pa.scalar(None, TEXT), column)
    if column.null_count:
        raise InputError(f"{source.at(first(pc.is_null(column)))} has no {name!r}: fill it in or drop the row")
    return _integers_if_all_are(column) if source.is_text else column


def comparable(left: Any, right: Any) -> tuple[Any, Any]:
    """Two id columns in one type, so that 7 in one table meets "7" in the other."""
    if left.type == right.type:
        return left, right
    # uint64 does not fit; its text is as good a key
    small = all(pa.types.is_integer(column.type) and column.type != pa.uint64() for column in (left, right))
    common = pa.int64() if small else TEXT
    return pc.cast(left, common), pc.cast(right, common)


def to_numpy(column: Any) -> NDArray[Any]:
    """Ids as numpy stores them: integers, or fixed-width strings rather than Python objects."""
    if is_string(column.type):
        longest = pc.max(pc.utf8_length(column)).as_py() or 0
        what = f"a text of {longest} characters, in whose room numpy stores each of the {len(column)} ids,"
        require_memory(4 * longest * len(column), what, "shorten that text")
        if not column.null_count:
            texts = np.empty(len(column), f"U{max(longest, 1)}")
            for start in range(0, len(texts), AT_ONCE):  # because a Python object per text takes several times its room
                texts[start : start + AT_ONCE] = column.slice(start, AT_ONCE).to_numpy(zero_copy_only=False)
            return texts
    values = np.asarray(column.to_numpy(zero_copy_only=False))
    return values.astype(np.str_) if values.dtype == object else values


def classes(column: Any, is_text: bool = False) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Class numbers (null, NaN and "" are -1) and the sorted class names, integers in numerical order."""
    if is_string(column.type):
        column = pc.utf8_trim_whitespace(pc.cast(column, TEXT))
        missing = pa.array(MISSING if is_text else [""], TEXT)
        column = pc.if_else(pc.is_in(column, value_set=missing), pa.scalar(None, TEXT), column)
        # a CSV written by pandas holds 3.0 for 3 where a value of the column is missing
        short = pc.replace_substring_regex(column, r"^(-?\d+)\.0+$", r"\1") if is_text else column
        integers = _integers_if_all_are(short)
        column = column if integers is short else integers
    elif pa.types.is_floating(column.type):
        column = _whole_numbers(column)
    elif not pa.types.is_integer(column.type):
        column = pc.cast(column, TEXT)
    distinct = pa.array(sorted(pc.unique(pc.drop_null(column)).to_pylist()), column.type)
    y = pc.fill_null(pc.index_in(column, value_set=distinct), -1)
    return y.to_numpy(zero_copy_only=False).astype(np.int64), tuple(str(name) for name in distinct.to_pylist())


@explained
def labels(table: pa.Table, name: str, source: Source) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The classes in one column of the node table."""
    try:
        return classes(decoded(table, name), source.is_text)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        kind = table[name].type
        raise InputError(
            f"the label column {name!r} of {source.title} holds {kind}: pass one value per node"
        ) from error


@explained
def numbers(table: pa.Table, name: str, source: Source) -> NDArray[np.float32]:
    """One column of numbers [n], or of equally long lists of numbers [n, width]; all finite, none missing."""
    column = decoded(table, name)
    if is_string(column.type):
        column = cleaned(column)
        decimal = decimal_of(column, name, source)
        if decimal is None:
            raise not_numbers(column, name, source)
        column = parsed(column, decimal, name, source)
    if column.null_count and column.null_count < len(column):
        where = source.at(first(pc.is_null(column)))
        raise InputError(f"{where} has no value for {name!r}: fill it in, or leave the column out")
    shape: tuple[int, ...]
    if is_number(column.type):
        shape, values = (len(column),), column
    elif is_list(column.type) and is_number(column.type.value_type) and not column.null_count:
        lengths = to_numpy(pc.list_value_length(column))
        odd = lengths != lengths[0]
        if odd.any():
            where, length = source.at(int(odd.argmax())), lengths[odd.argmax()]
            raise InputError(f"{where} has {length} values in {name!r}, but row 0 has {lengths[0]}: make them equal")
        shape, values = (len(column), int(lengths[0])), column.flatten()
    else:
        raise not_numbers(column, name, source)
    array = as_floats(values).astype(np.float32).reshape(shape)
    bad = ~np.isfinite(array)
    if bad.any():
        row = int(bad.argmax()) // (array.size // len(array))
        raise InputError(
            f"{source.at(row)} has NaN or an infinite value in {name!r}: fill it in, or leave the column out"
        )
    return array


def as_floats(values: Any) -> NDArray[np.float64]:
    """Numbers and booleans as float64 [n], NaN where one is missing; what no float32 holds is infinite."""
    if pa.types.is_boolean(values.type):
        values = pc.cast(values, pa.float32())  # before numpy, which has no boolean for a missing one
    floats: NDArray[np.float64] = to_numpy(pc.cast(values, pa.float64(), safe=False)).astype(np.float64)
    large = np.abs(floats) > MOST
    return np.where(large, np.copysign(np.inf, floats), floats) if large.any() else floats


@explained
def splits(table: pa.Table, name: str, source: Source) -> Splits:
    """One split from a column of train / val / test; an empty cell means none of them."""
    given = pc.fill_null(as_text(decoded(table, name), name, source), "")
    part = pc.utf8_lower(pc.utf8_trim_whitespace(given))
    known = pa.array(["", *SPLIT_NAMES], TEXT)
    outside = pc.invert(pc.is_in(part, value_set=known))
    if pc.any(outside).as_py():
        row = first(outside)
        raise InputError(
            f"{source.at(row)} has {short(given[row].as_py())} in {name!r}, but a split is one of "
            f"{', '.join(SPLIT_NAMES)}: rename it or leave the cell empty"
        )
    of = {
        target: to_numpy(pc.is_in(part, value_set=pa.array([n for n, t in SPLIT_NAMES.items() if t == target], TEXT)))
        for target in ("train", "val", "test")
    }
    return Splits(**of)


def decoded(table: pa.Table, name: str) -> Any:
    """The column as one array of plain values (pandas categories undone)."""
    column = table[name].combine_chunks()
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if column.type == pa.string_view():  # of polars; Arrow has few functions for it
        column = pc.cast(column, TEXT)
    return pc.cast(column, pa.float32()) if pa.types.is_float16(column.type) else column


def as_text(column: Any, name: str, source: Source) -> Any:
    try:
        return pc.cast(column, TEXT)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise InputError(
            f"column {name!r} of {source.title} holds {column.type}: use text or integers there"
        ) from error


def _integers_if_all_are(text: Any) -> Any:
    """Integers if every value is one in its usual spelling (7, not 007 or +7), else the text itself."""
    some = pc.drop_null(text).slice(0, 1).to_pylist()
    if not some or not some[0].lstrip("-").isdecimal():  # the cast below would go through a million names first
        return text
    try:
        integers = pc.cast(text, pa.int64())
    except pa.ArrowInvalid:
        return text
    return integers if pc.all(pc.equal(pc.cast(integers, TEXT), text)).as_py() else text


def _whole_numbers(floats: Any) -> Any:
    """NaN → null, and integers where every number is whole."""
    floats = pc.if_else(pc.is_nan(floats), pa.scalar(None, floats.type), floats)
    try:
        return pc.cast(floats, pa.int64())
    except pa.ArrowInvalid:
        return floats


def is_string(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_number(kind: Any) -> bool:
    tests = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def is_list(kind: Any) -> bool:
    return any(test(kind) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


def not_numbers(column: Any, name: str, source: Source) -> InputError:
    present = pc.drop_null(column)
    if is_string(present.type):  # show the word that keeps a column of numbers from being one
        words = pc.filter(present, pc.invert(pc.match_substring_regex(present, r"^\s*[-+.\d]")))
        present = words if len(words) else present
    kind = "text" if is_string(column.type) else column.type
    holds = f"holds {kind} values such as {shown_cell(present[0])}" if len(present) else "is empty"
    return InputError(f"column {name!r} of {source.title} {holds}, but numbers belong there: mend it, or leave it out")


def shown_cell(value: Any) -> str:
    try:
        return repr(str(value.as_py())[:40])
    except (ValueError, OverflowError):  # Python knows neither nanoseconds nor the year 10000
        return repr(str(pc.cast(value, TEXT).as_py())[:40])


def first(mask: Any) -> int:
    return int(pc.index(mask, True).as_py())
