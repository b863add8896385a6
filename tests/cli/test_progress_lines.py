"""Without a terminal, long stages say how far they are, one line at a time; short ones say nothing."""

from __future__ import annotations

import time

import pytest

from lsgnn.cli import progress_lines
from lsgnn.cli.show import progress


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
