"""`lsgnn datasets`: what can be asked for by name, where it comes from and what to beware of."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from lsgnn.cli import options
from lsgnn.cli.show import answer, answer_json, answer_table


def datasets(
    name: Annotated[str | None, typer.Argument(help="Show everything about one dataset.", show_default=False)] = None,
    json: options.Json = False,
) -> None:
    """List the known datasets, or show one with its source, licence and cautions."""
    from lsgnn.datasets import info, names

    entries = [info(n) for n in ([name] if name else names())]
    if json:
        answer_json([asdict(entry) for entry in entries])
        return
    if name:
        for field, value in asdict(entries[0]).items():
            if value not in ("", None, {}, 0):
                answer(f"{field:15} {value}")
        return
    from rich.table import Table

    table = Table("name", "nodes", "edges", "classes", "features", "edge homophily", "splits", "where")
    for entry in entries:
        where = "downloaded" if entry.downloadable else "npz folder" if entry.loader.startswith("npz") else "bundled"
        numbers = (entry.nodes, entry.edges, entry.classes, entry.features)
        table.add_row(entry.name, *(f"{v:,}" for v in numbers), f"{entry.edge_homophily:.3f}", str(entry.splits), where)
    answer_table(table)
