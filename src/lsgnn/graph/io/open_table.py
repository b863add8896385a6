"""Opens a table wherever it is: CSV, TSV, Parquet, pyarrow, pandas. First step of `read_tables`.

CSV columns that name things (ids, classes) are read as text, because guessing a number would turn 007 into 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io.csv_file import csv_header, read_csv
from lsgnn.graph.io.delimiter import checked_delimiter, shown_delimiter
from lsgnn.graph.io.parquet_file import common_names, parquet_names, read_parquet_parts
from lsgnn.graph.paths import existing_file, expanded, is_folder
from lsgnn.graph.shown import listed, short, shown

SUFFIXES = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t", ".parquet": None}


@dataclass(frozen=True)
class Source:
    """A table that has not been read yet: its columns are known, its place has a name for messages."""

    origin: Path | pa.Table
    title: str  # "edges.csv" or "the edge table"
    names: list[str]
    delimiter: str | None = None  # of CSV files
    header: tuple[str, ...] = ()  # of CSV files: the names as they stand there, blanks around them included
    rows: NDArray[np.int64] | None = None  # which rows are left, where some were dropped

    @property
    def is_text(self) -> bool:
        return self.delimiter is not None

    def at(self, row: int) -> str:
        """Where a reader finds the row: CSV lines count from 1 and the header is the first."""
        row = row if self.rows is None else int(self.rows[row])
        return f"line {row + 2} of {self.title}" if self.is_text else f"row {row} of {self.title}"

    @property
    def separated(self) -> str:
        """How the columns are told apart, for messages."""
        return f", separated by {shown_delimiter(self.delimiter)}" if self.delimiter else ""

    def with_rows(self, rows: NDArray[np.int64]) -> Source:
        """The same table, of which only `rows` are left."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def require(self, name: str, argument: str) -> str:
        """The name itself if there is such a column."""
        if not isinstance(name, str):
            raise InputError(f"{argument} is {shown(name)}, but a column has a name: pass text")
        if name not in self.names:
            near = get_close_matches(str(name), self.names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"name one of those as the {argument}"
            raise InputError(f"{self.title} has no column {short(name)} (it has {listed(self.names)}): {hint}")
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
            table = read_parquet_parts(parquet_parts(self.origin) or [self.origin])
        else:
            table = read_csv(self.origin, self.delimiter, text, self.header)
        if table.num_rows == 0:
            raise InputError(f"{self.title} has a header but no rows: pass a table with at least one")
        return table


def open_table(table: Any, role: str, delimiter: str | None = None) -> Source:
    """A path, a pyarrow table, a pandas or any other Arrow-speaking data frame; `role` is "edge" or "node".

    The delimiter of text files is detected unless it is given.
    """
    delimiter = None if delimiter is None else checked_delimiter(delimiter)
    if isinstance(table, str | Path):
        parts = parquet_parts(expanded(table))
        source = _open_parts(parts) if parts else _open_file(existing_file(table), delimiter)
    else:
        arrow = _as_arrow(table, role)
        source = Source(arrow, f"the {role} table", arrow.column_names)
    if not source.names:
        raise InputError(f"{source.title} has no columns: pass a table with a header and at least one row")
    if len(set(source.names)) < len(source.names):
        twice = next(name for name, count in Counter(source.names).items() if count > 1)
        raise InputError(f"{source.title} has two columns called {short(twice)}: rename one of them")
    return source


def _open_file(path: Path, delimiter: str | None) -> Source:
    suffix = next((s for s in sorted(SUFFIXES, key=len, reverse=True) if path.name.lower().endswith(s)), None)
    if suffix is None:
        raise InputError(f"cannot tell what kind of table {path.name!r} is: name it {', '.join(SUFFIXES)}")
    if path.stat().st_size == 0:
        raise InputError(f"{path.name} is empty: pass a table with a header and at least one row")
    usual = SUFFIXES[suffix]
    if usual is None:
        return Source(path, path.name, parquet_names(path))
    header, delimiter = csv_header(path, delimiter, usual)
    return Source(path, path.name, [name.strip() for name in header], delimiter, tuple(header))


def parquet_parts(path: Path) -> list[Path]:
    """The Parquet files of a folder that is one table, as Spark and others write it."""
    return sorted(path.glob("*.parquet")) if is_folder(path) else []


def _open_parts(parts: list[Path]) -> Source:
    folder = parts[0].parent
    return Source(folder, folder.name, common_names(parts))


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
