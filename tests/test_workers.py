"""Processes that answer lines: in any order, again after a death, and gone when they are no longer needed."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from lsgnn.workers import Workers

MODULE = """
    import json, os, signal, sys
    from pathlib import Path

    folder = Path(sys.argv[1])
    for line in sys.stdin:
        task = json.loads(line)
        if task["what"] == "die" or (task["what"] == "die once" and not (folder / "died").exists()):
            (folder / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        print("no answer" if task["what"] == "babble" else json.dumps({"twice": 2 * task["number"]}), flush=True)
"""


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workers[Any]:
    (tmp_path / "doubling.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return Workers("doubling", tmp_path, 2, lambda line: line["twice"], lambda key, reason: f"{key}: {reason}")


def test_answers_are_awaited_by_key_or_as_they_come(workers: Workers[Any]) -> None:
    with workers:
        for number in range(6):
            workers.submit(str(number), {"what": "answer", "number": number})
        assert [workers.wait(str(number)) for number in reversed(range(6))] == [10, 8, 6, 4, 2, 0]
        assert workers.wait_for_any(["5", "2"]) == "5"


def test_a_task_whose_process_was_killed_is_asked_again(workers: Workers[Any]) -> None:
    with workers:
        workers.submit("a", {"what": "die once", "number": 3})
        assert workers.wait("a") == 6


@pytest.mark.parametrize("what", ["die", "babble"])
def test_a_task_that_is_never_answered_says_why_and_others_go_on(workers: Workers[Any], what: str) -> None:
    with workers:
        workers.submit("bad", {"what": what, "number": 1})
        workers.submit("good", {"what": "answer", "number": 1})
        assert workers.wait("bad").startswith("bad: ")
        assert workers.wait("good") == 2


def test_processes_end_with_the_block(workers: Workers[Any]) -> None:
    with workers:
        workers.submit("a", {"what": "answer", "number": 1})
        workers.wait("a")
        (process,) = workers._processes
    assert process.poll() is not None
