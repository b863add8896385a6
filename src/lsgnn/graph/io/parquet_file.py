"""Parquet files → Arrow tables, within a limit of memory. The other half of `open_table`.

A column of a million equal values is a few bytes in Parquet, so the sizes that a file declares are those of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lsgnn.errors import InputError
from lsgnn.graph.io.read_limit import ReadLimit, read_limit

WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8, "BYTE_ARRAY": 8}


def parquet_names(path: Path) -> list[str]:
    """The names of the columns."""
    with _opened(path) as file:
        return list(file.schema_arrow.names)


def common_names(paths: Sequence[Path]) -> list[str]:
    """The names of the columns of files that are parts of one table."""
    first = parquet_names(paths[0])
    if odd := next((path for path in paths if parquet_names(path) != first), None):
        raise InputError(
            f"{paths[0].name} and {odd.name} in {odd.parent.name} have different columns, so that they are no parts of "
            "one table: name one file, or put each table into a folder of its own"
        )
    return first


def read_parquet(path: Path) -> pa.Table:
    """All rows."""
    limit = read_limit(path.name, path.stat().st_size)
    with _opened(path) as file:
        size = declared_size(file.metadata)
        limit.require(size)
        _require_short_texts(path, file, size, limit)
        return file.read()


def read_parquet_parts(paths: Sequence[Path]) -> pa.Table:
    """All rows of all files, which are parts of one table."""
    tables = [read_parquet(path) for path in paths]
    try:
        return tables[0] if len(tables) == 1 else pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"the parts of {paths[0].parent.name} do not fit each other ({reason}): mend them") from error


def declared_size(metadata: Any) -> int:
    """Bytes of all columns in memory: what the pages hold, and each value in its width."""
    groups = [metadata.row_group(g) for g in range(metadata.num_row_groups)]
    size: int = sum(group.total_byte_size for group in groups)
    for c in range(metadata.num_columns):
        column = metadata.schema.column(c)
        width = WIDTHS.get(column.physical_type) or max(1, column.length)
        many = column.max_repetition_level > 0  # lists hold more values than there are rows
        size += width * (sum(group.column(c).num_values for group in groups) if many else metadata.num_rows)
    return size


def _require_short_texts(path: Path, file: Any, size: int, limit: ReadLimit) -> None:
    """A dictionary of texts is stored once and repeated in memory, once per row: looks how long they are."""
    metadata = file.metadata
    places = [
        (g, c)
        for c in range(metadata.num_columns)
        if metadata.schema.column(c).physical_type == "BYTE_ARRAY"
        and metadata.schema.column(c).max_repetition_level == 0
        for g in range(metadata.num_row_groups)
        if _worst(metadata.row_group(g).column(c)) > limit.bytes - size
    ]
    names = sorted({metadata.schema.column(c).path for _, c in places})
    if not places:
        return
    with pq.ParquetFile(path, read_dictionary=names) as encoded:
        worst = sum(
            metadata.row_group(g).column(c).num_values * _longest(encoded, g, metadata.schema.column(c).path)
            for g, c in places
        )
        if size + worst > limit.bytes:  # some texts are long: how often does each stand there?
            limit.require(size + sum(_repeated(encoded, name) for name in names))


def _worst(chunk: Any) -> int:
    return int(chunk.num_values * chunk.total_uncompressed_size) if chunk.has_dictionary_page else 0


def _longest(encoded: Any, group: int, name: str) -> int:
    """The longest text in the dictionary of one column chunk; the first row brings the whole dictionary."""
    batch = next(encoded.iter_batches(batch_size=1, row_groups=[group], columns=[name]), None)
    column = None if batch is None or batch.num_columns == 0 else batch.column(0)
    if column is None or not pa.types.is_dictionary(column.type):
        return 0
    return int(pc.max(pc.binary_length(column.dictionary)).as_py() or 0)


def _repeated(encoded: Any, name: str) -> int:
    """Bytes of the column's texts, each as often as it stands there."""
    found = [chunk for column in encoded.read(columns=[name]).columns for chunk in column.chunks]
    chunks = [chunk for chunk in found if pa.types.is_dictionary(chunk.type)]
    sizes = (pc.sum(pc.take(pc.binary_length(chunk.dictionary), chunk.indices)).as_py() or 0 for chunk in chunks)
    return int(sum(sizes))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with pq.ParquetFile(path) as file:  # not read_table, which would take folder names a=b for columns
            yield file
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{path.name} is not a readable Parquet file ({reason}): write it again") from error
