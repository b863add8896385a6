"""Parquet files as one table: its rows are numbered from the first file to the last, and read a group at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lsgnn.errors import InputError

MOST_FILES = 256  # that are open at a time
COPIES = 4  # of a row group in memory at the peak: as it is read, as columns, as features, and scaled


@dataclass(frozen=True, eq=False)
class ParquetRows:
    """The rows of some files, in their order."""

    files: Sequence[Path]

    @property
    def num_rows(self) -> int:
        return int(self.ends[-1])

    @cached_property
    def names(self) -> list[str]:
        return list(self.opened[0].schema_arrow.names)

    def column(self, name: str) -> pa.Table:
        """All rows of one column."""
        with _readable(self.files):
            return pa.concat_tables([file.read(columns=[name]) for file in self.opened])

    def group(self, number: int, names: Sequence[str]) -> pa.Table:
        """Some columns of a row group; groups are numbered through all files, too."""
        file, group = self._groups[number]
        with _readable(self.files[file : file + 1]):
            return self.opened[file].read_row_group(group, columns=list(names))

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """0, and the row after the last of every group."""
        sizes = [self.opened[file].metadata.row_group(group).num_rows for file, group in self._groups]
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    @cached_property
    def first_rows(self) -> list[int]:
        """Of every file."""
        return [0, *accumulate(file.metadata.num_rows for file in self.opened[:-1])]

    @cached_property
    def opened(self) -> list[pq.ParquetFile]:
        with _readable(self.files):
            return [pq.ParquetFile(file, pre_buffer=False) for file in self.files]  # else all that was read is kept

    @cached_property
    def _groups(self) -> list[tuple[int, int]]:
        """The file of each row group, and its number there."""
        return [(f, group) for f, file in enumerate(self.opened) for group in range(file.metadata.num_row_groups)]


@contextmanager
def _readable(files: Sequence[Path]) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        others = f" or one of {len(files) - 1} beside it" if len(files) > 1 else ""
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{files[0]}{others} cannot be read ({reason}): write it again") from error


def serve_as_they_are(files: Sequence[Path], names: Sequence[str], memory: int) -> bool:
    """True if files need not be copied to be read by groups: few, all with these columns in plain types, and each of
    their row groups within the memory."""
    if not 0 < len(files) <= MOST_FILES:
        return False
    types: list[pa.DataType] | None = None
    for schema, about in ((file.schema_arrow, file.metadata) for file in ParquetRows(files).opened):
        if any(len(schema.get_all_field_indices(name)) != 1 for name in names):
            return False  # partitioned by a column, say, which is then in the name of the folder
        found = [schema.field(name).type for name in names]
        if not all(map(_is_plain, found)) or found != (types := types or found):
            return False
        groups = (about.row_group(group) for group in range(about.num_row_groups))
        if any(COPIES * group.total_byte_size > memory for group in groups):
            return False
    return True


def _is_plain(kind: pa.DataType) -> bool:
    plain = (pa.types.is_integer, pa.types.is_float32, pa.types.is_float64, pa.types.is_boolean, pa.types.is_string)
    return any(is_it(kind) for is_it in plain)
