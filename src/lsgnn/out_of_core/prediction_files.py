"""Predictions that come in chunks → a file, or a folder of Parquet files; whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lsgnn.errors import InputError
from lsgnn.files import write_atomically, write_folder_atomically
from lsgnn.runs.predictions import Predictions, quoted

ROWS = 1_000_000  # of a part at least, but of the last


def require_empty(folder: Path) -> None:
    """Raises unless parts may be written there: old and new ones together would be no table."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there and not an empty folder: choose another one, or remove it first")


def write_file(chunks: Iterator[Predictions], path: Path, spreadsheet_safe: bool = False) -> Iterator[int]:
    """Writes a .csv or .parquet file; how many rows, chunk by chunk."""
    import pyarrow.csv
    import pyarrow.parquet

    writers = {".csv": pyarrow.csv.CSVWriter, ".parquet": pyarrow.parquet.ParquetWriter}
    safe = quoted if spreadsheet_safe and path.suffix == ".csv" else _as_it_is
    first = next(chunks)
    with write_atomically(path) as file, writers[path.suffix](file, first.to_table().schema) as writer:
        writer.write_table(safe(first.to_table()))
        yield len(first)
        for chunk in chunks:
            writer.write_table(safe(chunk.to_table()))
            yield len(chunk)


def _as_it_is(table: Any) -> Any:
    return table


def write_parts(chunks: Iterator[Predictions], folder: Path, rows: int = ROWS) -> Iterator[int]:
    """Writes part-00000.parquet and so on to a folder that is new or empty; how many rows, chunk by chunk."""
    import pyarrow.parquet

    require_empty(folder)
    with write_folder_atomically(folder) as new:
        parts, in_part, writer = 0, rows, None
        for chunk in chunks:
            table = chunk.to_table()
            if in_part >= rows:
                if writer is not None:
                    writer.close()
                writer = pyarrow.parquet.ParquetWriter(new / f"part-{parts:05}.parquet", table.schema)
                parts, in_part = parts + 1, 0
            assert writer is not None
            writer.write_table(table)
            in_part += len(chunk)
            yield len(chunk)
        if writer is not None:
            writer.close()
