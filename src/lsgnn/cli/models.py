"""`lsgnn models`: what `--model` can be, and what each model can do."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lsgnn.cli import options
from lsgnn.cli.show import answer, answer_json, answer_table


def models(
    name: Annotated[
        str | None, typer.Argument(help="Show the hyperparameters of one model.", show_default=False)
    ] = None,
    json: options.Json = False,
) -> None:
    """List the models, or show one with its hyperparameters and their defaults."""
    from lsgnn import zoo

    found = [_facts(zoo.get(n)) for n in ([name] if name else zoo.names())]
    if json:
        answer_json(found)
        return
    if name:
        answer(f"{found[0]['title']}: {found[0]['about']}")
        for setting, value in found[0]["defaults"].items():
            answer(f"  {setting:20} {value}")
        return
    from rich.table import Table

    table = Table("name", "model", "new nodes", "other graphs", "explains itself", "engines", "tunable")
    for facts in found:
        marks = ("yes" if facts[ability] else "no" for ability in ("new_nodes", "other_graphs", "explains"))
        table.add_row(
            facts["name"], facts["title"], *marks, ", ".join(facts["engines"]), "yes" if facts["tunable"] else "no"
        )
    answer_table(table)


def _facts(model: Any) -> dict[str, Any]:
    config = model.config()
    module = __import__(f"lsgnn.zoo.{model.name}", fromlist=["MODEL"])
    return {
        "name": model.name,
        "title": model.title,
        "about": " ".join((module.__doc__ or "").split("\n\n")[0].split()),
        "new_nodes": not config.tied_to_nodes,
        "other_graphs": not config.tied_to_graph,
        "explains": model.explains,
        "engines": list(model.engines),
        "tunable": model.tunable,
        "defaults": config.to_dict(),
    }
