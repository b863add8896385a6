"""A sample of the faults of `make faults`, in a process of its own that forks the commands."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.strikes import DiskWatch, Strike

SAMPLE = ("fit over an old run", "predict", "precompute")


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and watched through /proc")
def test_a_struck_command_leaves_the_old_or_the_new_and_ends_alike_when_repeated(tmp_path: Path) -> None:
    scenes = [word for name in SAMPLE for word in ("--scene", name)]
    words = [sys.executable, "-m", "tests.faults", "--folder", str(tmp_path), "--sample", "6", *scenes]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "6 faults, 0 failures\n"


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
