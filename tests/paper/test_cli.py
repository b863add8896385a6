"""`python -m paper`: runs, renders, resumes, and answers bad input as `lsgnn` does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lsgnn.cli.main import app as lsgnn_app
from lsgnn.cli.main import run as behave_like_lsgnn
from paper.__main__ import app
from paper.places import REPOSITORY

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs `python -m paper` in this process: exit code, stdout, stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["paper", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            behave_like_lsgnn(app)
        return int(stop.value.code or 0), *capsys.readouterr()

    return call


def test_a_quick_run_names_the_files_it_wrote(tmp_path: Path, call: Call) -> None:
    where = ("--quick", "--results", tmp_path, "--json")
    code, out, _ = call("run", "theorem", *where)
    assert code == 0
    written = [Path(name) for name in json.loads(out)]
    assert [path.name for path in written] == ["theorem.md", "theorem.tex", "theorem.svg", "theorem.png"]
    assert all(path.parent == tmp_path / "quick" / "rendered" for path in written)
    before = [path.read_bytes() for path in written]
    assert call("render", "theorem", *where) == (0, out, "")
    assert [path.read_bytes() for path in written] == before


def test_bad_input_is_one_line_and_exit_code_2_before_anything_runs(tmp_path: Path, call: Call) -> None:
    for words, expected in (
        (("run", "homophily", "--datasets", "texsa"), "did you mean texas"),
        (("run", "homophly"), "did you mean 'homophily'"),
        (("run", "homophily", "--jobs", "0"), " run --help`"),
        (("render", "homophily", "--job", "2"), " render --help`"),
    ):
        code, out, err = call(*words, "--results", tmp_path)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert err.startswith("error: ")
        assert expected in err
    assert not any(tmp_path.iterdir())


def test_the_package_has_no_such_command() -> None:
    names = [command.name or command.callback.__name__ for command in lsgnn_app.registered_commands]
    assert "compare" in names
    assert "paper" not in names


def test_the_module_runs_from_the_root_of_the_repository() -> None:
    path = os.pathsep.join([str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "paper", "--help"],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "render" in done.stdout
    assert "from stored results" in done.stdout
