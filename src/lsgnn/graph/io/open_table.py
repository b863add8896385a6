"""Opens a table wherever it is: CSV, TSV, Parquet, pyarrow, pandas. First step of `read_tables`.

CSV columns that name things (ids, classes) are read as text, because guessing a number would turn 007 into 7.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from lsgnn.errors import InputError

SUFFIXES = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t", ".parquet": None}
# what R, pandas and databases write for "nothing" into a column of numbers
MISSING = ["", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null"]


@dataclass(frozen=True)
class Source:
    """A table that has not been read yet: its columns are known, its place has a name for messages."""

    origin: Path | pa.Table
    title: str  # "edges.csv" or "the edge table"
    names: list[str]
    delimiter: str | None = None  # of CSV files

    @property
    def is_text(self) -> bool:
        return self.delimiter is not None

    def at(self, row: int) -> str:
        """Where a reader finds the row: CSV lines count from 1 and the header is the first."""
        return f"line {row + 2} of {self.title}" if self.is_text else f"row {row} of {self.title}"

    def require(self, name: str, argument: str) -> str:
        """The name itself if there is such a column."""
        if name not in self.names:
            near = get_close_matches(str(name), self.names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"pass {argument}= one of its columns"
            raise InputError(f"{self.title} has no column {name!r} (it has {_listed(self.names)}): {hint}")
        return name

    def find(self, *names: str) -> str | None:
        """The first column called by one of these names, in any case."""
        by_lower = {name.lower(): name for name in reversed(self.names)}
        return next((by_lower[name] for name in names if name in by_lower), None)

    def read(self, text: Sequence[str]) -> pa.Table:
        """All rows; in CSV files the columns `text` stay text."""
        if isinstance(self.origin, pa.Table):
            table = self.origin
        elif self.delimiter is None:
            table = _read_parquet(self.origin)
        else:
            table = _read_csv(self.origin, self.delimiter, text)
        if table.num_rows == 0:
            raise InputError(f"{self.title} has a header but no rows: pass a table with at least one")
        return table


def open_table(table: Any, role: str) -> Source:
    """A path, a pyarrow table, a pandas or any other Arrow-speaking data frame; `role` is "edge" or "node"."""
    if isinstance(table, str | Path):
        source = _open_file(Path(table).expanduser())
    else:
        arrow = _as_arrow(table, role)
        source = Source(arrow, f"the {role} table", arrow.column_names)
    if len(set(source.names)) < len(source.names):
        twice = next(name for name in source.names if source.names.count(name) > 1)
        raise InputError(f"{source.title} has two columns called {twice!r}: rename one of them")
    return source


def _open_file(path: Path) -> Source:
    suffix = next((s for s in sorted(SUFFIXES, key=len, reverse=True) if path.name.lower().endswith(s)), None)
    if not path.is_file():
        raise InputError(f"{path} is not a file: check the path")
    if suffix is None:
        raise InputError(f"cannot tell what kind of table {path.name!r} is: name it {', '.join(SUFFIXES)}")
    if path.stat().st_size == 0:
        raise InputError(f"{path.name} is empty: pass a table with a header and at least one row")
    delimiter = SUFFIXES[suffix]
    if delimiter is None:
        return Source(path, path.name, _read_parquet(path, header_only=True).names)
    names = [name.strip() for name in _csv_header(path, delimiter)]
    return Source(path, path.name, names, delimiter)


def _csv_header(path: Path, delimiter: str) -> list[str]:
    """The names in the first line, which may be long and may hold quoted line breaks."""
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file, delimiter=delimiter), [])
    except (csv.Error, OSError, EOFError, zlib.error) as error:
        raise _unreadable_csv(path, error) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} cannot be read (it is not UTF8 text): save it as UTF-8") from error


def _read_csv(path: Path, delimiter: str, text: Sequence[str]) -> pa.Table:
    header = _csv_header(path, delimiter)
    types = {name: pa.large_string() for name in header if name.strip() in text}
    convert = pacsv.ConvertOptions(column_types=types, null_values=MISSING)
    block = max(1 << 20, 64 * sum(map(len, header)))  # a row must fit into a block
    for threads in (True, False):  # only the slow reader tells the line of a ragged row
        try:
            reading = pacsv.ReadOptions(use_threads=threads, block_size=block)
            table = pacsv.read_csv(path, reading, _parse_options(delimiter), convert)
            return table.rename_columns([name.strip() for name in header])
        except (pa.ArrowInvalid, OSError, UnicodeDecodeError) as error:
            failure = _unreadable_csv(path, error)
    raise failure


def _parse_options(delimiter: str) -> Any:
    return pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True)


def _unreadable_csv(path: Path, error: Exception) -> InputError:
    reason = " ".join(str(error).split())[:200]
    fixes = {"UTF8": "save it as UTF-8", "parse error": "mend that row (quote text that holds the separator)"}
    fix = next((fix for sign, fix in fixes.items() if sign in reason), "write it again")
    return InputError(f"{path.name} cannot be read ({reason}): {fix}")


def _read_parquet(path: Path, header_only: bool = False) -> Any:
    try:
        with pq.ParquetFile(path) as file:  # not read_table, which would take folder names a=b for columns
            return file.schema_arrow if header_only else file.read()
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{path.name} is not a readable Parquet file ({reason}): write it again") from error


def _as_arrow(table: Any, role: str) -> pa.Table:
    if isinstance(table, pa.Table):
        return table
    try:
        if type(table).__module__.partition(".")[0] == "pandas" and hasattr(table, "columns"):
            named_index = any(name is not None for name in table.index.names)
            return pa.Table.from_pandas(table, preserve_index=named_index)
        if hasattr(table, "__arrow_c_stream__"):
            return pa.table(table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"the {role} table mixes types in a column ({reason}): give each column one type") from error
    raise InputError(
        f"the {role} table is of type {type(table).__name__}: pass a path ({', '.join(SUFFIXES)}), "
        "a pyarrow table or a pandas data frame"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (f", … {len(names) - 10} more" if len(names) > 10 else "")
