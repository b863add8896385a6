"""The graph that a command was asked to work on, from the words of its command line."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsgnn.cli.options import checked_choice
from lsgnn.cli.show import progress, say
from lsgnn.errors import InputError

if TYPE_CHECKING:
    from lsgnn.graph.graph import Graph


def open_graph(
    graph: str | None,
    edges: Path | None = None,
    nodes: Path | None = None,
    label: str | None = None,
    id: str | None = None,
    columns: Sequence[str] | None = None,
    data_dir: Path | None = None,
    *,
    missing: str = "impute",
    delimiter: str | None = None,
    name: str | None = None,
    like: Graph | None = None,
) -> Graph:
    """The graph a command was asked to work on; tables are read as those of `like` were, if it is given."""
    if (graph is None) == (edges is None):
        raise InputError(
            "which graph? pass a dataset name, a file or a folder, or else --edges TABLE (and --nodes TABLE)"
        )
    if graph is not None and (tables := tables_of(graph)):
        edges, nodes = tables[0], nodes or tables[1]
    if edges is not None:
        from lsgnn.graph.io.tables import read_tables

        checked_choice("--missing", missing, ("impute", "error"))
        named: dict[str, Any] = dict(label=label, id=id, missing=missing, delimiter=delimiter, like=like)
        with progress(f"reading {edges.name}", None):
            read = read_tables(edges, nodes, name=name, **named, **parse_columns(columns or ()))
        if like is None:
            tell_columns(read)
        return read
    given = {"--nodes": nodes, "--label": label, "--id": id, "--column": columns or None, "--delimiter": delimiter}
    given["--missing"] = missing if missing != "impute" else None
    if stray := [option for option, value in given.items() if value is not None]:
        raise InputError(f"{stray[0]} goes with --edges TABLE, but the graph is {graph!r}: drop one of them")
    assert graph is not None
    with progress(f"reading {graph}", None):
        return opened(graph, name, data_dir)


def tables_of(graph: str) -> tuple[Path, Path | None] | None:
    """The edge and node tables of a folder, if that is what the graph is."""
    from lsgnn.datasets import names
    from lsgnn.graph.paths import expanded, is_folder

    folder = expanded(graph)
    if graph in names() or not is_folder(folder):
        return None
    from lsgnn.graph.io.ogb_folder import is_ogb_folder
    from lsgnn.graph.io.table_folder import find_tables

    return None if is_ogb_folder(folder) else find_tables(folder)


def opened(graph: str, name: str | None, data_dir: Path | None) -> Graph:
    """A graph by its dataset name or by its path."""
    from lsgnn.datasets import load, names
    from lsgnn.datasets.open_path import TABLE_SUFFIXES, open_path
    from lsgnn.graph.paths import expanded, is_file, is_folder

    path = expanded(graph)
    if graph not in names() and (graph.endswith((".npz", *TABLE_SUFFIXES)) or is_file(path) or is_folder(path)):
        return open_path(path, name)
    if name is not None:
        raise InputError(f"--name is for tables and files, but {graph!r} is a dataset: drop it")
    return load(graph, data_dir)


def tell_columns(graph: Graph) -> None:
    """Says what the columns of a table were taken for, unless all are plain numbers."""
    from lsgnn.cli.column_table import is_plain, lines_of

    if graph.columns is not None and not all(map(is_plain, graph.columns.rows())):
        for line in lines_of(graph.columns):
            say(line)


def as_typed(
    graph: str | None,
    edges: Path | None,
    nodes: Path | None,
    label: str | None,
    id: str | None,
    columns: Sequence[str] | None,
    missing: str = "impute",
    delimiter: str | None = None,
    name: str | None = None,
    data_dir: Path | None = None,
) -> str:
    """The same graph as words of a command line, for a command that is suggested to the user."""
    given = {"--edges": edges, "--nodes": nodes, "--label": label, "--id": id}
    given |= {"--missing": missing if missing != "impute" else None, "--delimiter": delimiter, "--name": name}
    words = [word for option, value in given.items() if value for word in (option, str(value))]
    words += [word for column in columns or () for word in ("--column", column)]
    words += ["--data-dir", str(data_dir)] if data_dir is not None else []
    return shlex.join([*([graph] if graph else []), *words])


def parse_columns(columns: Sequence[str]) -> dict[str, Any]:
    """`["source=from", "features=age,size", "date=born"]` → arguments of `read_tables`."""
    from lsgnn.graph.io.roles import ROLES

    places = ("source", "target", "weight", "split")
    found: dict[str, Any] = {}
    for column in columns:
        role, separator, name = column.partition("=")
        known = (*places, "features", "categories", *ROLES)
        if not separator or not name or role not in known:
            raise InputError(
                f"--column {column!r} names no column: write ROLE=NAME with ROLE one of {', '.join(known)}"
            )
        if role in ("features", "categories"):
            found[role] = [*found.get(role, ()), *name.split(",")]
        elif role in ROLES:
            found["roles"] = found.get("roles", {}) | dict.fromkeys(name.split(","), role)
        elif role in found:
            raise InputError(f"--column {column!r} names a second {role}: there is one, {found[role]!r}; drop either")
        else:
            found[role] = name
    return found
