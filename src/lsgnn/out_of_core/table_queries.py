"""Tables larger than memory, by a pattern of files or a query; DuckDB (extra `duckdb`) reads, joins and spills them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from lsgnn.errors import InputError
from lsgnn.extras import optional
from lsgnn.graph.io.delimiter import checked_delimiter

QUERY = re.compile(r"\s*(select|with|from)\s", re.IGNORECASE)
KINDS = {".parquet": "parquet", ".csv": "csv", ".csv.gz": "csv", ".tsv": "csv", ".tsv.gz": "csv"}
LEAST_MEMORY = 200_000_000  # bytes that DuckDB gets at least: with less it gives up


def is_on_disk(table: Any) -> bool:
    """True for what is read out of core: a pattern such as `edges/*.parquet`, or a query."""
    return isinstance(table, str) and (has_magic(table) or QUERY.match(table) is not None)


@dataclass(frozen=True)
class TableQuery:
    """A table as SQL.

    Args:
        sql: what stands after FROM.
        title: for messages.
        identity: changes when a file of the table does; of a query, its text.
        is_text: True of CSV files, whose columns are all read as text, so that 007 is not 7.
        parquet: the files, in their order, if it is Parquet.
    """

    sql: str
    title: str
    identity: str
    is_text: bool = False
    parquet: tuple[Path, ...] = ()

    @classmethod
    def of(cls, table: str, delimiter: str | None = None) -> TableQuery:
        if QUERY.match(table):
            return cls(f"({table.strip().rstrip(';')})", "the query", hashlib.sha256(table.encode()).hexdigest())
        files = sorted(Path(file) for file in glob(str(Path(table).expanduser()), recursive=True))
        if not files:
            raise InputError(f"no file matches {table!r}: check the pattern")
        name = files[0].name.lower()
        kind = next((kind for suffix, kind in KINDS.items() if name.endswith(suffix)), None)
        if kind is None:
            raise InputError(f"cannot tell what kind of table {files[0].name!r} is: name it {', '.join(KINDS)}")
        if kind == "csv":
            separator = f", delim = {quoted(checked_delimiter(delimiter))}" if delimiter else ""
            options = f", header = true, all_varchar = true{separator}"
        else:
            options = ""
        listed = ", ".join(quoted(str(file)) for file in files)
        stats = " ".join(f"{file}:{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in files)
        sql, identity = f"read_{kind}([{listed}]{options})", hashlib.sha256(stats.encode()).hexdigest()
        return cls(sql, table, identity, is_text=kind == "csv", parquet=tuple(files) if kind == "parquet" else ())


@contextmanager
def duckdb_connection(folder: Path, memory: int, threads: int) -> Iterator[Any]:
    """A connection that spills to `folder`; what DuckDB complains of becomes a sentence."""
    duckdb = optional("duckdb", "duckdb")
    settings = {"memory_limit": f"{max(memory, LEAST_MEMORY)}B", "temp_directory": str(folder), "threads": threads}
    connection = duckdb.connect(config=settings)
    try:
        yield connection
    except duckdb.Error as error:
        raise InputError(
            f"DuckDB cannot read the tables ({str(error).splitlines()[0]}): mend them or the query"
        ) from error
    finally:
        connection.close()


def column_names(connection: Any, table: TableQuery) -> list[str]:
    return [str(row[0]) for row in connection.execute(f"DESCRIBE SELECT * FROM {table.sql}").fetchall()]


def quoted(text: str) -> str:
    """As a text of SQL."""
    return "'" + text.replace("'", "''") + "'"


def column(name: str) -> str:
    """As a name of SQL."""
    return '"' + name.replace('"', '""') + '"'
