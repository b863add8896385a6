"""`lsgnn serve`: a trained run as a web service, for nodes that arrive after training."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lsgnn.cli.show import say
from lsgnn.errors import InputError

TOKEN = "LSGNN_TOKEN"


def serve(
    run: Annotated[Path, typer.Argument(help="Folder written by `lsgnn fit --out`.")],
    host: Annotated[
        str, typer.Option(help="Address to listen at; others than loopback can be reached from outside.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at; 0 for any that is free.", min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(help="Processes that answer.", min=1)] = 1,
    journal: Annotated[
        Path | None, typer.Option(help="File for nodes that are kept (default: journal.sqlite in RUN).")
    ] = None,
    max_nodes: Annotated[int, typer.Option(help="Nodes of one request.", min=1)] = 1000,
    max_body: Annotated[str, typer.Option(help="Size of one request.")] = "16MB",
    timeout: Annotated[float, typer.Option(help="Seconds a client may take to send a request.")] = 20.0,
) -> None:
    """Answer HTTP requests for known and new nodes: POST /predict, /predict/new, /explain; see /docs.

    If the environment variable LSGNN_TOKEN is set, clients must send it as a bearer token. New nodes that are to be
    kept are written to a journal, which `lsgnn fit --continue RUN` trains on.
    """
    from lsgnn.extras import optional
    from lsgnn.sizes import parse_bytes

    if not timeout > 0:
        raise InputError(f"--timeout {timeout} is out of range: it must be above 0")
    for module in ("fastapi", "uvicorn", "prometheus_client"):
        optional(module, "serve")
    from lsgnn.serving.limits import Limits
    from lsgnn.serving.server import Settings
    from lsgnn.serving.server import serve as listen

    token = os.environ.get(TOKEN)
    if token is not None and not token.strip():
        raise InputError(f"{TOKEN} is empty, so that anybody could send it: set it to a secret, or unset it")
    limits = Limits(body=parse_bytes(max_body, "--max-body"), nodes=max_nodes, seconds=timeout)
    settings = Settings(run.expanduser(), journal, host, port, workers, token and token.strip(), limits)

    def on_address(address: str) -> None:
        say(f"serving {run} at {address} (its pages: / and /docs); Ctrl-C stops it")
        if token is None and not settings.is_local:
            say(f"note: whoever reaches {host} can ask this server: set {TOKEN} to a secret to keep others out")

    listen(settings, on_address)
