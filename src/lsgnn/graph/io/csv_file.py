"""CSV and TSV files, plain or gzipped → Arrow tables, within a limit of memory. The text half of `open_table`.

Neither a first line of gigabytes nor a `.csv.gz` that unfolds to gigabytes is ever held in memory.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io.delimiter import DELIMITERS, detected_delimiter, shown_delimiter
from lsgnn.graph.io.read_limit import MOST_TIMES, ReadLimit, read_limit
from lsgnn.sizes import in_words

# what R, pandas and databases write for "nothing" into a column of numbers
MISSING = ["", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null"]
MOST_HEADER = 4 << 20  # characters in which the first line must end
SAMPLE = 1 << 16  # bytes in which the delimiter is looked for
MOST_LINES = 10_000  # those of a quoted name, and blank ones before it
MOST_BLOCK = 1 << 28  # bytes in which a row must end
COLUMN_COST = 9_000  # bytes that Arrow takes for a column, however short
WINDOW = 16 << 20  # bytes after which a gzipped file is asked whether it swells
MARKS = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def csv_header(path: Path, delimiter: str | None, usual: str = ",") -> tuple[list[str], str]:
    """The names in the first line that is not blank, which may be long and may hold quoted line breaks.

    Also the delimiter: the one that was given, else the one that the first lines show, where `usual` is expected.
    """
    try:
        opener = gzip.open if _is_gzipped(path) else open
        with opener(path, "rb") as binary:
            _require_utf8(binary.read(4), path)
            binary.seek(0)
            found = delimiter or detected_delimiter(_sample(binary), usual)
            binary.seek(0)
            file = io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")
            names: list[str] = next(filter(None, csv.reader(_lines(file, path), delimiter=found)), [])
    except (csv.Error, OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} cannot be read (it is not UTF8 text): save it as UTF-8") from error
    if any("\0" in name for name in names):
        raise InputError(f"{path.name} cannot be read (zero bytes in its first line, as in UTF-16): save it as UTF-8")
    if not any(name.strip() for name in names):
        what = "names no columns in its first line" if names else "is empty"
        raise InputError(f"{path.name} {what}: pass a table with a header and at least one row")
    if delimiter is not None and len(names) == 1:
        _require_other_marks_absent(names[0], delimiter, path)
    return names, found


def _sample(binary: Any) -> list[str]:
    """The first lines that are whole, for a look at what separates their cells."""
    start: bytes = binary.read(SAMPLE)
    lines = start.decode("utf-8-sig", "replace").splitlines(keepends=True)
    return lines[:-1] if len(start) == SAMPLE and len(lines) > 1 else lines


def _require_other_marks_absent(name: str, delimiter: str, path: Path) -> None:
    if other := next((mark for mark in DELIMITERS if mark != delimiter and mark in name), None):
        raise InputError(
            f"the first line of {path.name} is not separated by {shown_delimiter(delimiter)} but by "
            f"{shown_delimiter(other)}, it seems: name {other!r} as the delimiter, or none, and it is detected"
        )


def read_csv(path: Path, delimiter: str, text: Sequence[str], header: Sequence[str] = ()) -> pa.Table:
    """All rows; the columns `text` stay text. `header` is what `csv_header` has found, if it has been asked."""
    header = list(header) or csv_header(path, delimiter)[0]
    on_disk = path.stat().st_size
    limit = read_limit(path.name, on_disk)
    limit.require(on_disk, "is of")
    limit.require(COLUMN_COST * len(header), f"has {len(header)} columns, which take")
    types = {name: pa.large_string() for name in header if name.strip() in text}
    convert = pacsv.ConvertOptions(column_types=types, null_values=MISSING)
    block = max(1 << 20, min(64 * sum(map(len, header)), MOST_BLOCK))  # a row must fit into a block
    for threads in (True, False):  # only the slow reader tells the line of a ragged row
        try:
            reading = pacsv.ReadOptions(use_threads=threads, block_size=block)
            with _opened(path, limit) as source:
                table = pacsv.read_csv(source, reading, _parse_options(delimiter), convert)
            if table.column_names != header:
                raise InputError(f"{path.name} cannot be read (its first line is not clear CSV): quote its names")
            return table.rename_columns([name.strip() for name in header])
        except InputError:
            raise
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            failure = _unreadable(path, error, block)
    raise failure


def read_bare_csv(path: Path) -> NDArray[Any]:
    """A matrix of numbers [rows, columns] in a file without a header."""
    limit = read_limit(path.name, path.stat().st_size)
    try:
        with _opened(path, limit) as source:
            read = pacsv.read_csv(source, pacsv.ReadOptions(autogenerate_column_names=True))
        matrix = np.column_stack([column.to_numpy() for column in read.columns])
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise _unreadable(path, error) from error
    if matrix.dtype.kind not in "iuf":
        raise InputError(f"{path.name} holds text where numbers belong: check that it has no header")
    return matrix


class Unfolding(io.RawIOBase):
    """A gzipped file as it is read; raises where it goes on behind the limit.

    As soon as it swells like a bomb it is counted to its end first, since the rows of short text in memory take several
    times as much as the text.
    """

    def __init__(self, path: Path, limit: ReadLimit) -> None:
        self._path, self._limit = path, limit
        self._packed = pa.OSFile(str(path))
        self._stream = pa.CompressedInputStream(self._packed, "gzip")
        self._count = self._since = self._packed_since = 0
        self._counted = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data: bytes = self._stream.read(None if size < 0 else size)
        self._count += len(data)
        if self._count > self._limit.bytes:
            raise self._limit.stopped()
        if not self._counted and self._count - self._since > WINDOW:
            packed = self._packed.tell()
            if self._count - self._since > MOST_TIMES * (packed - self._packed_since):
                self._counted = True
                self._count_to_the_end()
            self._since, self._packed_since = self._count, packed
        return data

    def close(self) -> None:
        self._stream.close()
        self._packed.close()
        super().close()

    def _count_to_the_end(self) -> None:
        count = 0
        with (
            suppress(OSError),
            pa.OSFile(str(self._path)) as packed,
            pa.CompressedInputStream(packed, "gzip") as stream,
        ):
            while data := stream.read(1 << 20):
                count += len(data)
                if count > self._limit.bytes:
                    raise self._limit.stopped()


@contextmanager
def _opened(path: Path, limit: ReadLimit) -> Iterator[Any]:
    if not _is_gzipped(path):
        yield str(path)
        return
    with Unfolding(path, limit) as file:
        yield file


def _is_gzipped(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _require_utf8(start: bytes, path: Path) -> None:
    for mark, encoding in MARKS.items():
        if start.startswith(mark):
            raise InputError(f"{path.name} cannot be read (it is {encoding} text): save it as UTF-8")


def _lines(file: TextIO, path: Path) -> Iterator[str]:
    """Whole lines, as many as one may have to read to the end of the header."""
    left = MOST_HEADER
    for _ in range(MOST_LINES):
        line = file.readline(left)
        left -= len(line)
        if left <= 0:
            break
        if not line:
            return
        yield line
    raise InputError(
        f"{path.name} has no line of column names at its start (in {in_words(MOST_HEADER)} or {MOST_LINES} lines): "
        "check that it is a table, one row per line"
    )


def _parse_options(delimiter: str) -> Any:
    return pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True)


def _unreadable(path: Path, error: BaseException, block: int = 0) -> InputError:
    reason = " ".join(str(error).split())[:200]
    if "Empty CSV file" in reason:  # there is a header, or we would not have come here
        return InputError(f"{path.name} has a header but no rows: pass a table with at least one")
    if isinstance(error, MemoryError):
        return InputError(f"{path.name} cannot be read (there is too little memory): drop columns or rows")
    if "straddl" in reason:
        return InputError(
            f"{path.name} cannot be read (a row is longer than {in_words(block)}): close a quote that was left open, "
            "or break the line"
        )
    fixes = {"UTF8": "save it as UTF-8", "parse error": "mend that row (quote text that holds the separator)"}
    fix = next((fix for sign, fix in fixes.items() if sign in reason), "write it again")
    return InputError(f"{path.name} cannot be read ({reason}): {fix}")
