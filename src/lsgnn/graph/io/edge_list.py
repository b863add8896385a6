"""Edge lists (`.edgelist`, `.edges`, `.txt`; networkx, SNAP): two ids in a line, maybe a weight → `Graph`.

Separated by blanks, `#` and `%` start a comment, there is no header. networkx writes `{'weight': 2}` behind the ids.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pyarrow as pa

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.read_limit import read_limit
from lsgnn.graph.io.tables import read_tables
from lsgnn.graph.paths import existing_file
from lsgnn.graph.shown import short

SUFFIXES = (".edgelist", ".edges", ".txt")
TIMES = 30  # what a byte of the file takes in memory, as Python's text


def load_edge_list(path: str | Path) -> Graph:
    """Reads the layout above; named after the file. Features are made of the structure, and there are no labels."""
    path = existing_file(path)
    on_disk = path.stat().st_size
    read_limit(path.name, on_disk).require(TIMES * on_disk, "takes in memory")
    sources, targets, weights = [], [], []
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                cells = line.split(None, 2)
                if not cells or cells[0][0] in "#%":
                    continue
                if len(cells) < 2:
                    raise InputError(f"line {number} of {path.name} has one id, but an edge joins two: mend it")
                sources.append(cells[0])
                targets.append(cells[1])
                weights.append(_weight(cells[2], f"line {number} of {path.name}") if len(cells) > 2 else None)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} cannot be read as an edge list ({error}): save it as UTF-8 text") from error
    if not sources:
        raise InputError(f"{path.name} holds no edges: write two ids into each line")
    table: dict[str, Any] = {"source": _ids(sources), "target": _ids(targets)}
    known = sum(weight is not None for weight in weights)
    if known not in (0, len(weights)):
        raise InputError(f"{path.name} has weights on {known} of {len(weights)} edges: give each a weight, or none")
    if known:
        table["weight"] = pa.array(weights, pa.float64())
    return read_tables(pa.table(table), name=path.stem)


def _ids(texts: list[str]) -> Any:
    """Integers if all of them are, in their usual spelling."""
    if all(text.isdecimal() and text.isascii() and len(text) < 19 and text == str(int(text)) for text in texts):
        return pa.array(map(int, texts), pa.int64())
    return pa.array(texts)


def _weight(rest: str, where: str) -> float | None:
    """A number, or that of a dictionary of attributes; what else stands there is not read."""
    try:
        if rest.startswith("{"):
            found = ast.literal_eval(rest)
            return float(found["weight"]) if "weight" in found else None
        return float(rest.split()[0])
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise InputError(
            f"{where} has {short(rest.strip())} behind its ids, but a weight is a number: mend or drop it"
        ) from error
