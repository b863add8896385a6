"""A folder with an edge table and, usually, a node table: which is which, by name."""

from __future__ import annotations

from pathlib import Path

from lsgnn.errors import InputError
from lsgnn.graph.io.open_table import SUFFIXES, parquet_parts

EDGES = ("edges", "edge", "links", "relationships", "transactions", "transfers")
NODES = ("nodes", "node", "vertices", "accounts", "users")


def find_tables(folder: Path) -> tuple[Path, Path | None]:
    """The edge table and the node table of a folder: files, or folders of Parquet files, called by a usual name."""
    found = {stem(path): path for path in sorted(folder.iterdir()) if is_table(path)}
    edges = next((found[name] for name in EDGES if name in found), None)
    nodes = next((found[name] for name in NODES if name in found), None)
    if edges is None:
        held = ", ".join(path.name for path in sorted(folder.iterdir())[:5]) or "nothing"
        raise InputError(
            f"{folder} has no edge table (it holds {held}): call it edges.csv or edges.parquet, the node table "
            "nodes.csv or nodes.parquet, or name both tables"
        )
    return edges, nodes


def is_table(path: Path) -> bool:
    return bool(parquet_parts(path)) if path.is_dir() else path.name.lower().endswith(tuple(SUFFIXES))


def stem(path: Path) -> str:
    return path.name.lower().partition(".")[0]
