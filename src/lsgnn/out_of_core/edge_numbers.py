"""Edges by the users' ids → edges by the numbers of nodes, chunk by chunk; DuckDB reads them.

Numbers are looked up by hashes of 64 bits, in a table of 24 to 48 bytes per node. Where that does not fit, or where two
ids have the same hash, DuckDB joins the tables instead, which takes longer, and spills to the disk. (An id that is in
no table would be taken for another one with a probability of n in 2^64.)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.shown import short
from lsgnn.out_of_core.id_kernels import find_numbers, take_places
from lsgnn.out_of_core.parquet_rows import ParquetRows
from lsgnn.out_of_core.table_queries import TableQuery, column, quoted

AT_ONCE = 1_000_000  # edges that are numbered together
LOAD = 2 / 3  # of the places of a table, at most
PLACE = 16  # bytes


@dataclass(frozen=True)
class Keys:
    """How ids are compared: as they are, or, where tables hold them in different types, as text (7 meets "7")."""

    form: str

    @classmethod
    def of(cls, duck: Any, edges: str) -> Keys:
        described = (f"DESCRIBE SELECT source, target FROM {edges}", "DESCRIBE SELECT id FROM ids")
        kinds = {row[1] for query in described for row in duck.execute(query).fetchall()}
        return cls("{}" if len(kinds) == 1 else "CAST({} AS VARCHAR)")

    def __call__(self, name: str) -> str:
        return self.form.format(name)


@dataclass(frozen=True)
class NodeIds:
    """The ids of the nodes, a column of their table."""

    rows: ParquetRows
    name: str
    source: Source

    def as_view(self, duck: Any) -> None:
        """Leaves a view `ids` (id, number); raises if a node has no id. Several may still have the same."""
        parts = (
            f"SELECT {column(self.name)} AS id, file_row_number + {start} AS number "
            f"FROM read_parquet({quoted(str(file))}, file_row_number = true)"
            for file, start in zip(self.rows.files, self.rows.first_rows, strict=True)
        )
        duck.execute(f"CREATE TEMP VIEW ids AS {' UNION ALL '.join(parts)}")
        if duck.execute("SELECT count(*) FROM ids WHERE id IS NULL").fetchone()[0]:
            raise InputError(f"a row of {self.source.title} has no {self.name!r}: fill it in or drop the row")

    def require_distinct(self, duck: Any) -> None:
        twice = duck.execute("SELECT id FROM ids GROUP BY id HAVING count(*) > 1 LIMIT 1").fetchone()
        if twice is not None:
            raise InputError(
                f"{self.source.title} has several rows with {self.name!r} {short(twice[0])}: keep one of them"
            )


def write_edges(
    duck: Any, edges: TableQuery, ends: tuple[str, str], weight: str | None, nodes: NodeIds, folder: Path, memory: int
) -> None:
    """Fills edge_index.npy [2, E] and, if edges have some, edge_weight.npy [E]."""
    nodes.as_view(duck)
    n = nodes.rows.num_rows
    given = f"SELECT {column(ends[0])} AS source, {column(ends[1])} AS target"
    given += f", CAST({column(weight)} AS DOUBLE) AS weight" if weight else ""
    rows = f"({given} FROM {edges.sql}){' WHERE weight <> 0 OR weight IS NULL' if weight else ''}"
    E = int(duck.execute(f"SELECT count(*) FROM {rows}").fetchone()[0])
    key, and_weight = Keys.of(duck, rows), ", weight" if weight else ""
    places = place_table(duck, key, n, memory)
    if places is not None:
        found = duck.execute(f"SELECT hash({key('source')}), hash({key('target')}){and_weight} FROM {rows}")
    else:
        nodes.require_distinct(duck)
        chosen = f"coalesce(sources.number, -1), coalesce(targets.number, -1){and_weight}"
        found = duck.execute(f"SELECT {chosen} FROM {_joined(key, rows)}")
    number = np.int32 if n < 2**31 else np.int64
    index = open_memmap(folder / "edge_index.npy", mode="w+", dtype=number, shape=(2, E))
    weights = open_memmap(folder / "edge_weight.npy", mode="w+", dtype=np.float64, shape=(E,)) if weight else None
    place = 0
    for batch in found.fetch_record_batch(AT_ONCE):
        part = slice(place, place + len(batch))
        for end in (0, 1):
            numbers = batch.column(end).to_numpy(zero_copy_only=False)
            index[end, part] = numbers if places is None else _looked_up(numbers, places)
        if min(index[:, part].min(axis=1), default=0) < 0:
            _raise_unknown(duck, _joined(key, rows), edges, nodes.source)
        if weights is not None:
            weights[part] = batch.column(2).to_numpy(zero_copy_only=False)
        place += len(batch)
    for array in (index, weights):
        if array is not None:
            array.flush()


def place_table(duck: Any, key: Keys, n: int, memory: int) -> NDArray[np.int64] | None:
    """Hashes and numbers of all ids [places, 2] (see `id_kernels`); None if they do not fit, or two hashes are equal.

    The number of places is a power of two.
    """
    size = 1 << int(n / LOAD).bit_length()
    if PLACE * size > memory:
        return None
    places = np.full((size, 2), -1, np.int64)
    for batch in duck.execute(f"SELECT hash({key('id')}), number FROM ids").fetch_record_batch(AT_ONCE):
        hashes, numbers = (batch.column(c).to_numpy(zero_copy_only=False).view(np.int64) for c in (0, 1))
        if take_places(hashes, numbers, places) >= 0:
            return None
    return places


def _looked_up(hashes: NDArray[np.uint64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    numbers = np.empty(len(hashes), np.int64)
    find_numbers(hashes.view(np.int64), places, numbers)
    return numbers


def _joined(key: Keys, rows: str) -> str:
    joins = (f"LEFT JOIN ids AS {end}s ON {key(f'e.{end}')} = {key(f'{end}s.id')}" for end in ("source", "target"))
    return f"(SELECT * FROM {rows}) AS e {' '.join(joins)}"


def _raise_unknown(duck: Any, joined: str, edges: TableQuery, nodes: Source) -> None:
    unknown = "CASE WHEN sources.number IS NULL THEN e.source ELSE e.target END"
    where = "sources.number IS NULL OR targets.number IS NULL"
    (id,) = duck.execute(f"SELECT {unknown} FROM {joined} WHERE {where} LIMIT 1").fetchone()
    raise InputError(
        f"an edge of {edges.title} points to {short(id)}, which is no id of {nodes.title}: add that node, or drop "
        "the edge"
    )
