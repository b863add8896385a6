"""`lsgnn explain`: why a node of a run's graph, or of a store, is classified as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lsgnn.cli import options, stores
from lsgnn.cli.show import answer, answer_json, progress
from lsgnn.errors import InputError


def explain(
    run: Annotated[Path, typer.Argument(help="Folder written by `lsgnn fit --out`.")],
    store: Annotated[str | None, typer.Argument(help="For a run on a store: the store.", show_default=False)] = None,
    *,
    node: Annotated[str, typer.Option(help="Id of the node.")],
    member: Annotated[int | None, typer.Option(help="Explain one member of an ensemble (default: the mean).")] = None,
    json: options.Json = False,
) -> None:
    """Show a node's LocalSim, its fusion weights, what each hop adds to its class, and the neighbours behind it."""
    from lsgnn.out_of_core.stored_run_files import is_stored_run
    from lsgnn.runs.run import Run

    with progress(f"explaining node {node} of {run}", None):
        if is_stored_run(run):
            why = stores.explained(run, store, node, member)
        elif store is not None:
            raise InputError(f"{run} has its own graph: drop {store}")
        else:
            why = Run.load(run).explain(node, member)
    if json:
        answer_json(why.to_dict())
        return
    from lsgnn.runs.explanation_text import lines_of

    for line in lines_of(why):
        answer(line)
