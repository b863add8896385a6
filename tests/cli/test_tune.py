"""`lsgnn tune --storage`: the file that was named, of any name, shared and gone on from."""

import html
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from lsgnn import Run
from tests.graphs import two_blocks

QUICK = ("--model", "sgc", "--splits", "0", "--rescore", "1", "--set", "epochs=2")


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "blocks.npz"
    two_blocks(n=40).save(path)
    return path


def states(storage: Path) -> list[str]:
    """Of all trials; read without making the file, should it not exist."""
    try:
        with closing(sqlite3.connect(f"file:{quote(os.fsencode(storage))}?mode=ro", uri=True)) as opened:
            return [state for (state,) in opened.execute("SELECT state FROM trials")]
    except sqlite3.OperationalError:  # not made yet, or busy
        return []


def count_finished(storage: Path) -> int:
    return sum(state in ("COMPLETE", "PRUNED") for state in states(storage))


@pytest.mark.parametrize(
    "name",
    ["a?b.db", "a#b", "%41.db", "{x}.db", "with space", "new\nline", "größe", ":memory:", "~no-such-user", "x" * 247],
)
def test_the_study_is_in_the_file_that_was_named(
    lsgnn: Any, tmp_path: Path, graph: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    first = lsgnn("tune", graph, *QUICK, "--trials", "1", "--storage", name, "--json")
    assert first.code == 0, first.err
    assert [file.name for file in (tmp_path / "here").iterdir()] == [name]
    assert count_finished(tmp_path / "here" / name) == 1
    more = lsgnn("tune", graph, *QUICK, "--trials", "2", "--storage", tmp_path / "here" / name, "--json")
    assert more.json["trials"][:1] == first.json["trials"]  # gone on from
    assert len(more.json["trials"]) == 2


def test_a_home_folder_and_a_file_that_is_no_utf8_are_understood(
    lsgnn: Any, tmp_path: Path, graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    odd = graph.rename(graph.with_name("\udcff.npz"))  # its name is that of the study
    assert lsgnn("tune", odd, *QUICK, "--trials", "1", "--storage", "~/\udcfe.db").code == 0
    assert count_finished(tmp_path / "\udcfe.db") == 1


@pytest.mark.parametrize("url", ["sqlite:///study.db", "postgresql://me@host/db"])
def test_a_url_is_refused_with_the_reason(lsgnn: Any, graph: Path, url: str) -> None:
    result = lsgnn("tune", graph, *QUICK, "--trials", "1", "--storage", url)
    assert result.code == 2
    assert "looks like a URL, but a study is kept in a file: pass its path" in result.err


def test_a_search_killed_at_birth_leaves_a_file_that_can_be_used(lsgnn: Any, tmp_path: Path, graph: Path) -> None:
    (tmp_path / "study.db").touch()  # what SQLite has made before its first transaction
    assert lsgnn("tune", graph, *QUICK, "--trials", "1", "--storage", tmp_path / "study.db").code == 0


def test_a_killed_search_goes_on_to_the_same_choice(lsgnn: Any, tmp_path: Path, graph: Path) -> None:
    storage = tmp_path / "study.db"
    command = [sys.executable, "-m", "lsgnn", "tune", graph, *QUICK, "--trials", "10000", "--storage", storage]
    process = subprocess.Popen(command)
    # past ten, settings are drawn with those before them in mind
    while count_finished(storage) < 12 or "RUNNING" not in states(storage):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    trials = ("--trials", count_finished(storage) + 4, "--json")
    resumed = lsgnn("tune", graph, *QUICK, *trials, "--storage", storage).json
    whole = lsgnn("tune", graph, *QUICK, *trials).json
    assert resumed["chosen"] == whole["chosen"]
    settings, scores = ([[t[key] for t in d["trials"]] for d in (resumed, whole)] for key in ("settings", "val"))
    assert settings[0] == settings[1]
    assert scores[0] == scores[1]


def test_the_page_names_the_study_which_optuna_opens(lsgnn: Any, tmp_path: Path, graph: Path) -> None:
    import optuna

    storage, report = tmp_path / "study.db", tmp_path / "tune.html"
    result = lsgnn("tune", graph, *QUICK, "--trials", "2", "--storage", storage, "--report", report)
    assert result.code == 0, result.err
    page = report.read_text("utf-8")
    assert f"optuna-dashboard sqlite:///{storage}" in page
    (command,) = re.findall(r"lsgnn fit .* --model sgc --set .*(?=</pre>)", page)
    chosen = lsgnn("tune", graph, *QUICK, "--trials", "2", "--storage", storage, "--json").json
    lsgnn(*shlex.split(html.unescape(command))[1:], "--out", tmp_path / "run")
    assert Run.load(tmp_path / "run").config.to_dict() == chosen["base"] | chosen["chosen"]  # the very configuration
    assert "Read once, with what was chosen" in page
    study = optuna.load_study(study_name="blocks/sgc", storage=f"sqlite:///{storage}")  # as the dashboard does
    assert len(study.trials) == 2
    assert lsgnn("tune", graph, *QUICK, "--trials", "2", "--report", tmp_path / "page.txt").code == 2
