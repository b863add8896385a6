"""Which character separates the columns of a text table: the one that gives every line as many cells as the first."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from lsgnn.errors import InputError
from lsgnn.graph.shown import shown

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
NAMES = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "\\t": "\t"}


def detected_delimiter(lines: Sequence[str], usual: str) -> str:
    """The delimiter of a table by its first lines; `usual` (by the file's ending) unless another fits better.

    >>> detected_delimiter(["name;height", "Ann;1,70"], usual=",")
    ';'
    """
    candidates = [usual, *(mark for mark in DELIMITERS if mark != usual)]
    cells = {mark: [len(row) for row in _rows(lines, mark)] for mark in candidates}
    consistent = [mark for mark in candidates if cells[mark] and cells[mark][0] > 1 and len(set(cells[mark])) == 1]
    if consistent:
        return max(consistent, key=lambda mark: cells[mark][0])  # the usual one, if two are alike
    if cells[usual] and cells[usual][0] > 1:
        return usual
    return max(candidates, key=lambda mark: cells[mark][0] if cells[mark] else 0)


def checked_delimiter(given: str) -> str:
    """A delimiter that a user named: one character, or a word for it."""
    if not isinstance(given, str):
        raise InputError(f"delimiter is {shown(given)}, but it is a character: pass one of {', '.join(NAMES)}")
    mark = NAMES.get(given, given)
    if len(mark) != 1 or mark in '"\r\n\0' or not mark.isascii():
        raise InputError(
            f"the delimiter {given!r} is not a single character such as ';': pass one, or comma, semicolon, tab or bar"
        )
    return mark


def shown_delimiter(mark: str) -> str:
    return DELIMITERS.get(mark, repr(mark))


def _rows(lines: Sequence[str], mark: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []
