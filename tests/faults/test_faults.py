"""A sample of the faults of `make faults`, in a process of its own that forks the commands."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.faults.judging import Failed
from tests.faults.strikes import DiskWatch, Strike

SAMPLE = ("fit over an old run", "predict", "precompute", "serve")


@pytest.mark.skipif(find_spec("fastapi") is None, reason="the extra [serve] is not installed")
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and watched through /proc")
def test_a_struck_command_leaves_the_old_or_the_new_and_ends_alike_when_repeated(tmp_path: Path) -> None:
    scenes = [word for name in SAMPLE for word in ("--scene", name)]
    words = [sys.executable, "-m", "tests.faults", "--folder", str(tmp_path), "--sample", "8", *scenes]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "8 faults, 0 failures\n"


def test_a_watch_strikes_before_the_chosen_operation_and_looks_at_its_own_folder_only(tmp_path: Path) -> None:
    watch = DiskWatch(tmp_path, Strike("disk error", 2))
    inside, outside = str(tmp_path / "a"), "/elsewhere/a"
    watch("open", (inside, "rb", 0))
    watch("open", (outside, "wb", 0))
    watch("os.mkdir", (inside, 0, -1))
    assert (watch.count, watch.struck) == (1, False)
    with pytest.raises(OSError, match="Input/output error"):
        watch("os.rename", (inside, outside, -1, -1))
    assert watch.struck


def test_a_service_that_loses_a_node_keeps_one_twice_or_lets_somebody_in_is_noticed(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
    from lsgnn.serving.journal import Journal
    from tests.faults.bad_clients import BAD_CLIENTS
    from tests.faults.service import Service, judge_kept
    from tests.serving.clients import new_node

    journal = Journal(tmp_path / "j")
    with journal.writing():
        journal.add([new_node("a"), new_node("b")])
    judge_kept(tmp_path / "j", ["a"], unanswered=1)
    with pytest.raises(Failed, match="1 acknowledged nodes are lost, c for one"):
        judge_kept(tmp_path / "j", ["a", "b", "c"], unanswered=0)
    with pytest.raises(Failed, match="2 nodes are kept where 1 were acknowledged"):
        judge_kept(tmp_path / "j", ["a"], unanswered=0)

    class Open:
        def said(self, sent: bytes) -> bytes:
            return b"HTTP/1.1 200 OK\r\n\r\n"

    service = Service(tmp_path / "service")
    service.server = Open  # type: ignore[method-assign]
    stranger = next(client for client in BAD_CLIENTS if client.kind == "wrong token")
    with pytest.raises(Failed, match=r"200 OK.* where 401 was expected"):
        service.meet(stranger)
