"""`lsgnn export`: a trained run for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lsgnn.cli import options
from lsgnn.cli.show import answer, answer_json, progress
from lsgnn.errors import InputError


def export(
    run: Annotated[Path, typer.Argument(help="Folder written by `lsgnn fit --out`.")],
    onnx: Annotated[Path | None, typer.Option(help="Write the row head as an .onnx file.")] = None,
    hub: Annotated[str | None, typer.Option(help="Upload the run to this Hugging Face repository (user/name).")] = None,
    public: Annotated[bool, typer.Option("--public", help="Let everybody see a new repository.")] = False,
    json: options.Json = False,
) -> None:
    """Write a run's head as ONNX, or push the run (with its graph) to the Hugging Face Hub."""
    if onnx is None and hub is None:
        raise InputError("export to what? pass --onnx FILE or --hub USER/NAME")
    from lsgnn.runs.run import Run

    with progress(f"reading {run}", None):
        loaded = Run.load(run)
    done = {"run": str(run)}
    if onnx is not None:
        from lsgnn.runs.onnx_head import export_onnx

        with progress(f"writing {onnx}", None):
            export_onnx(loaded, onnx)
        done["onnx"] = str(onnx)
    if hub is not None:
        from lsgnn.runs.hub import push_to_hub

        done["hub"] = push_to_hub(loaded, hub, private=not public)
    if json:
        answer_json(done)
    else:
        for what in ("onnx", "hub"):
            if what in done:
                answer(f"exported to {done[what]}")
