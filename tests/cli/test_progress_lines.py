"""Without a terminal, long stages say how far they are, one line at a time; short ones say nothing."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress

from lsgnn.cli import progress_lines, show
from lsgnn.cli.progress_lines import line_of
from lsgnn.cli.show import progress, search_progress


def test_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress_lines, "SECONDS_BETWEEN_LINES", 0.02)
    lines = ""
    with progress("training on cora", 200) as step:
        step()
        step()
        deadline = time.monotonic() + 10
        while lines.count("\n") < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
            lines += capsys.readouterr().err

    assert lines.splitlines()[0] == "training on cora: 2 of 200, 0 s"


def test_what_is_soon_over_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("reading", None) as step:
        step()

    assert capsys.readouterr().err == ""


def test_reading_predicting_and_writing_have_bars_too(
    lsgnn: Any, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bars, add_task = list[str](), Progress.add_task

    def told(self: Progress, description: str, **how: Any) -> Any:
        bars.append(description)
        return add_task(self, description, **how)

    monkeypatch.setattr(Progress, "add_task", told)
    run, page, out = tmp_path / "run", tmp_path / "page.html", tmp_path / "p.csv"
    graph = ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "topic", "--name", "pages")
    small = ("--model", "mlp", "--set", "epochs=2", "--set", "feature_norm=l2")
    assert lsgnn("fit", *graph, *small, "--out", run, "--predictions", out, "--report", page).code == 0
    assert bars[0] == "reading edges.csv"
    assert bars[2:] == [f"writing {run}", "predicting pages", f"writing {page}"]

    bars.clear()
    assert lsgnn("predict", run, "--out", out).code == 0
    assert bars == [f"reading {run}", "predicting pages"]


def test_what_has_not_begun_to_count_says_no_number() -> None:
    with Progress(disable=True) as bar:
        bar.add_task("trying hops", total=200)
        assert line_of(bar.tasks[0]) == "trying hops, 0 s"


def test_the_minutes_of_a_search_pass_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    places, update = list[float](), Progress.update

    def told(self: Progress, task: Any, **how: Any) -> None:
        places.append(how.get("completed", 0.0))
        update(self, task, **how)

    monkeypatch.setattr(Progress, "update", told)
    monkeypatch.setattr(show, "SECOND", 0.01)
    deadline = time.monotonic() + 10
    with search_progress("searching on cora", None, 1.0):
        while len(places) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)

    assert places[0] > 0
    assert places == sorted(places)
