"""Any words on the command line: an answer, or one line and exit code 2; files that were there stay as they were."""

import os
import sys
import warnings
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from lsgnn.cli.main import app, run
from tests.fuzz.cases import cases
from tests.graphs import two_blocks
from tests.trained import small_run

LEFT_OUT = ("serve", "demo")  # they do not end, or take minutes
FILES = ("g.npz", "run", "decided.toml", "nodes.csv", "edges.csv", "broken.npz", "nothing", "out/new", "", ".", "\0")
NUMBERS = ("0", "1", "2", "-1", "1.5", "nan", "1e400", "99999999999999999999", "x")
WORDS = (
    "id",
    "label",
    "K=2",
    "K=-1",
    "beta=nan",
    "direction=out",
    "=",
    "lsgnn",
    "mlp",
    "majority,mlp",
    "accuracy",
    "all",
)
ODD = ("--help", "é\x1b[31m", "a" * 300, "--", "-", "\udce9", "released", "2:1", "precision=0.9", "4GB", "csv")
values = st.sampled_from((*FILES, *NUMBERS, *WORDS, *ODD))
CHEAP = {"--trials": "1", "--set": "epochs=1", "--tune": "1", "--minutes": "0.001", "--model": "mlp"}


@cache
def options() -> dict[str, list[tuple[str, bool]]]:
    """Command → its options and whether each takes a value."""
    group: Any = typer.main.get_command(app)
    found = {}
    for name, command in group.commands.items():
        flags = [(p.opts[0], not p.is_flag) for p in command.params if p.param_type_name == "option"]
        found[name] = [(option, takes) for option, takes in flags if option not in ("--help", "--ray")]
    return {name: found[name] for name in sorted(found) if name not in LEFT_OUT}


@st.composite
def command_lines(draw: Any) -> list[str]:
    command = draw(st.sampled_from(sorted(options())))
    words = [command]
    if draw(st.integers(0, 9)):
        words.append(draw(st.sampled_from(("g.npz", "run", "cora-linqs", "arrays", "mlp")) | values))
    for option, takes in draw(st.lists(st.sampled_from(options()[command]), max_size=3)):
        words += [option, draw(values)] if takes else [option]
    known = dict(options()[command])
    for option, value in CHEAP.items():
        if option in known and option not in words:
            words += [option, value]
    return words


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words")
    small_run(two_blocks(n=24), epochs=1, K=2).save(folder / "run")
    two_blocks(n=24).save(folder / "g.npz")
    (folder / "broken.npz").write_bytes(b"PK\3\4 no archive")
    (folder / "decided.toml").write_text("epochs = 1\nK = 2\nhidden_channels = 4\n")
    (folder / "edges.csv").write_text("source,target\n" + "".join(f"a{i},a{(i + 1) % 24}\n" for i in range(24)))
    rows = "".join(f"a{i},{i % 2},{i}\n" for i in range(24))
    (folder / "nodes.csv").write_text(f"id,label,size\n{rows}")
    (folder / "out").mkdir()
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


@cases(40)
@given(words=command_lines())
def test_any_command_line_is_answered_or_refused_in_one_line(
    folder: Path, words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(folder)
    monkeypatch.setattr(sys, "argv", ["lsgnn", *words])
    monkeypatch.setenv("LSGNN_DATA", os.devnull)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nothing leaves this machine, and nobody listens there
    capsys.readouterr()
    code = 0
    with chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("default")
        try:
            run()
        except SystemExit as stop:
            code = int(stop.code or 0)
    out, err = capsys.readouterr()
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    assert code in (0, 2), err
    assert len(errors) == (code == 2), err
    assert "Traceback" not in out + err
    after = contents(folder)
    changed = {name for name, content in before.items() if after.get(name) != content}
    assert all(name in words or name.partition("/")[0] in words for name in changed - {"predictions.csv"}), changed
    for name in changed:  # a file that was named may be replaced; the next case finds it as it was
        (folder / name).write_bytes(before[name])
