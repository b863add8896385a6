"""`lsgnn explain`: why a node of a run's graph is classified as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lsgnn.cli import options
from lsgnn.cli.show import answer, answer_json, progress


def explain(
    run: Annotated[Path, typer.Argument(help="Folder written by `lsgnn fit --out`.")],
    node: Annotated[str, typer.Option(help="Id of the node.")],
    member: Annotated[int | None, typer.Option(help="Explain one member of an ensemble (default: the mean).")] = None,
    json: options.Json = False,
) -> None:
    """Show a node's LocalSim, its fusion weights, what each hop adds to its class, and the neighbours behind it."""
    from lsgnn.runs.run import Run

    with progress(f"explaining node {node} of {run}", None):
        why = Run.load(run).explain(node, member)
    if json:
        answer_json(why.to_dict())
        return
    from lsgnn.runs.explanation_text import lines_of

    for line in lines_of(why):
        answer(line)
