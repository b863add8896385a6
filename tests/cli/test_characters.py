r"""Other people's text never steers the terminal, and a terminal that has few letters is no reason to fail.

Escapes are written as codes in this file: a raw one would steer the editor that shows it.
"""

import codecs
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from lsgnn.cli import show
from lsgnn.cli.characters import ERRORS, show_what_can_be_shown, visible, visible_json
from lsgnn.cli.main import run

QUICK = ("--set", "epochs=3", "--set", "K=2", "--set", "hidden_channels=8", "--set", "direction=out")
HOSTILE = "\x1b[2J\x1b]0;owned\x07\rfake\x9b31m\u202egpj.exe\u2066\x7f"
STEERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@given(st.text())
def test_nothing_that_steers_is_left_and_the_rest_stays(text: str) -> None:
    shown = visible(text)
    assert not STEERS.search(shown)
    assert "\n" not in shown
    assert [c for c in shown if c not in "\\xuU0123456789abcdef"] == [
        c for c in text if visible(c) == c and c not in "\\xuU0123456789abcdef"
    ]


def test_codes_are_those_that_python_writes() -> None:
    assert visible("a\x1b\n\x9b\u202e\udcff") == r"a\x1b\x0a\x9b\u202e\udcff"


@given(st.dictionaries(st.text(), st.text() | st.integers()))
def test_json_means_the_same_and_steers_nothing(document: dict[str, Any]) -> None:
    text = visible_json(json.dumps(document, indent=2, ensure_ascii=False))
    assert json.loads(text) == document
    assert not STEERS.search(text)


def test_a_table_and_a_bar_are_made_visible_too(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("name", title="[bold]kept[/bold] as markup of ours")
    table.add_row(HOSTILE)
    show.answer_table(table)
    out = capsys.readouterr().out
    assert not STEERS.search(out)
    assert r"\x1b[2J" in out
    assert "kept as markup" in out


def table_with(names: Path, text: str) -> None:
    """Every id, the label column's name and one class of the tables hold the text."""
    for file in ("nodes.csv", "edges.csv"):
        lines = (names / file).read_text().replace("page", f"page{text}").replace("dog", f"dog{text}")
        (names / file).write_text(lines.replace("topic", f"topic{text}"), newline="")


@pytest.fixture
def hostile(tables: Path) -> Path:
    table_with(tables, HOSTILE.replace("\r", ""))  # a carriage return ends a line of a .csv
    return tables


def given_tables(tables: Path, text: str = "") -> tuple[Any, ...]:
    return ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", f"topic{text}")


def test_no_command_passes_on_what_steers_a_terminal(lsgnn: Any, hostile: Path) -> None:
    text = HOSTILE.replace("\r", "")
    tables, run, odd = given_tables(hostile, text), hostile / "run", hostile / f"odd{HOSTILE}.csv"
    commands: list[tuple[Any, ...]] = [
        ("fit", *tables, *QUICK, "--out", run, "--predictions", odd),
        ("explain", run, "--node", f"page{text}3"),
        ("explain", run, "--node", f"page{text}3", "--json"),
        ("explain", run, "--node", HOSTILE),
        ("predict", run, "--out", odd),
        ("predict", run, "--out", odd, "--json"),
        ("predict", HOSTILE),
        ("fit", HOSTILE),
        ("fit", "fsbm", "--set", f"{HOSTILE}=1"),
        ("fit", "fsbm", "--split", HOSTILE),
        (f"fit{HOSTILE}",),
        ("diagnose", *tables, "--no-probes"),
        ("evaluate", *tables, *QUICK, "--splits", "0", "--json"),
    ]
    for arguments in commands:
        result = lsgnn(*arguments)
        assert not STEERS.search(result.out + result.err), (arguments[:2], result)
    assert f'"page{text}3"' in odd.read_text(encoding="utf-8")  # files hold what was given


def test_an_id_of_two_lines_is_one_line(lsgnn: Any, tmp_path: Path) -> None:
    from dataclasses import replace

    from tests.graphs import two_blocks

    ids = np.array([f"page\nforged {i}" for i in range(60)])
    replace(two_blocks(n=60), node_ids=ids).save(tmp_path / "g.npz")
    assert lsgnn("fit", tmp_path / "g.npz", *QUICK, "--out", tmp_path / "run").code == 0
    result = lsgnn("explain", tmp_path / "run", "--node", "page\nforged 3")
    assert result.code == 0, result.err
    assert not [line for line in result.out.splitlines() if line.startswith("forged")]


@pytest.fixture
def ascii_lsgnn(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    """The real entry point with streams that have ASCII alone, as PYTHONIOENCODING=ascii makes them."""

    def call(*arguments: object) -> tuple[int, str]:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2)]
        monkeypatch.setattr(sys, "argv", ["lsgnn", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        with pytest.raises(SystemExit) as stop:
            run()
        return int(stop.value.code or 0), streams[0].buffer.getvalue().decode("ascii")  # type: ignore[attr-defined]

    return call


def test_every_command_works_where_there_is_only_ascii(ascii_lsgnn: Any, tables: Path) -> None:
    table_with(tables, "é→")
    graph, run = given_tables(tables, "é→"), tables / "run"
    commands: list[tuple[Any, ...]] = [
        *((name, "--help") for name in ("fit", "predict", "explain", "tune", "compare", "models", "precompute")),
        ("datasets",),
        ("datasets", "cora"),
        ("fit", *graph, *QUICK, "--out", run, "--predictions", tables / "é.csv", "--members", "2"),
        ("explain", run, "--node", "pageé→3"),
        ("explain", run, "--node", "pageé→3", "--json"),
        ("predict", run, "--out", tables / "é.csv"),
        ("diagnose", *graph, "--no-probes"),
        ("evaluate", *graph, *QUICK, "--splits", "0,1"),
        ("compare", *graph, "--models", "majority,sgc", "--splits", "0,1"),
    ]
    for arguments in commands:
        code, out = ascii_lsgnn(*arguments)
        assert code == 0, arguments
        if "--json" in arguments:
            assert json.loads(out)["node"] == "pageé→3"


def command(*arguments: object, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """A real process, in an environment that says nothing of letters but the settings."""
    words = [sys.executable, "-m", "lsgnn", *map(str, arguments)]
    rest = {k: v for k, v in os.environ.items() if k not in ("LC_ALL", "LANG", "PYTHONIOENCODING")}
    return subprocess.run(words, check=False, capture_output=True, env=rest | settings)


@pytest.mark.parametrize(
    "locale",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "POSIX", "LANG": "C"},
        {"LC_ALL": "POSIX", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["ascii", "POSIX", "POSIX at its word"],
)
def test_help_and_errors_are_shown_whatever_the_locale(locale: dict[str, str]) -> None:
    shown = command("compare", "--help", **locale)
    assert shown.returncode == 0, shown.stderr
    assert b"--models" in shown.stdout
    failed = command("fit", "é→", **locale)
    assert failed.returncode == 2
    assert failed.stderr.startswith(b"error: there is no dataset")
    assert failed.stderr.count(b"\n") == 1


def test_a_locale_without_letters_keeps_nobody_from_training(tables: Path) -> None:
    text = (tables / "nodes.csv").read_text()
    (tables / "nodes.csv").write_text(text.replace("dog", "é→"), encoding="utf-8")
    poor = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = command("fit", *given_tables(tables), *QUICK, "--out", tables / "é", "--report", tables / "é.html", **poor)
    assert done.returncode == 0, done.stderr
    assert (tables / "é").is_dir()
    assert rb"run written to " in done.stdout


def read_all(terminal: int) -> bytes:
    def parts() -> Iterator[bytes]:
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                return
            if not part:
                return
            yield part

    return b"".join(parts())


def test_a_progress_bar_works_where_there_is_only_ascii(tables: Path) -> None:
    table_with(tables, "é→")
    graph = ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "topicé→")
    graph = (*graph, "--name", "é×[bold]")
    master, slave = pty.openpty()
    words = [sys.executable, "-m", "lsgnn", "fit", *map(str, graph), *QUICK]
    process = subprocess.Popen(
        words, stdout=slave, stderr=slave, env=os.environ | {"PYTHONIOENCODING": "ascii", "TERM": "xterm"}
    )
    os.close(slave)
    shown = read_all(master)
    os.close(master)
    assert process.wait() == 0, shown
    shown.decode("ascii")
    assert rb"training on \xe9x[bold]" in shown


def test_letters_that_a_terminal_lacks_become_the_nearest_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    show_what_can_be_shown()
    assert stream.errors == ERRORS
    show.answer("82.00 ± 2.00 → ça 𝄞")
    assert stream.buffer.getvalue() == rb"82.00 +- 2.00 -> \xe7a \U0001d11e" + b"\n"  # type: ignore[attr-defined]
    with pytest.raises(UnicodeDecodeError):
        codecs.decode(b"\xff", "ascii", ERRORS)
