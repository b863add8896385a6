"""A command of the CLI alone, called as the `lsgnn` executable calls it; tests share it."""

from collections.abc import Callable
from typing import Any

import typer
from typer.testing import CliRunner, Result


def call(command: Callable[..., Any], *arguments: object) -> Result:
    """Runs one command; what it raises is in `result.exception`."""
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
