"""`lsgnn paper`: runs, renders, resumes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from lsgnn.cli.paper import paper
from lsgnn.errors import InputError

app = typer.Typer()
app.command()(paper)


def test_a_quick_run_names_the_files_it_wrote(tmp_path: Path) -> None:
    arguments = ["theorem", "--quick", "--results", str(tmp_path), "--json"]
    first = CliRunner().invoke(app, arguments, catch_exceptions=False)
    written = [Path(name) for name in json.loads(first.stdout)]
    assert [path.name for path in written] == ["theorem.md", "theorem.tex", "theorem.svg", "theorem.png"]
    assert all(path.parent == tmp_path / "paper-quick" / "rendered" for path in written)
    before = [path.read_bytes() for path in written]
    again = CliRunner().invoke(app, [*arguments, "--render"], catch_exceptions=False)
    assert again.stdout == first.stdout
    assert [path.read_bytes() for path in written] == before


def test_a_misspelt_dataset_is_an_error_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean texas"):
        CliRunner().invoke(
            app, ["homophily", "--datasets", "texsa", "--results", str(tmp_path)], catch_exceptions=False
        )
    assert not any(tmp_path.iterdir())
