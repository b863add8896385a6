"""When machine code on disk is stale."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lsgnn.kernel_cache import source_hash


def test_kernels_are_known_by_their_sources_and_by_the_version_of_numba(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernels.py").write_text("first")
    first = source_hash.__wrapped__(tmp_path)
    assert source_hash.__wrapped__(tmp_path) == first
    monkeypatch.setattr("numba.__version__", "0.0")
    other = source_hash.__wrapped__(tmp_path)
    (tmp_path / "kernels.py").write_text("second")
    assert len({first, other, source_hash.__wrapped__(tmp_path)}) == 3


COMPILE = """
import sys
sys.path.insert(0, {folder!r})
from numba import types
from kernels import double
print("ready", flush=True)
sys.stdin.readline()
double.compile((types.int64,))
print(len(double.stats.cache_misses))
"""


def test_of_two_processes_that_want_the_same_one_compiles_and_one_waits(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(
        "from lsgnn.compiled import entry_point\n@entry_point(None)\ndef double(x):\n    return x + x\n"
    )
    command = [sys.executable, "-c", COMPILE.format(folder=str(tmp_path))]
    environment = os.environ | {"LSGNN_CACHE": str(tmp_path / "cache")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
    processes = [subprocess.Popen(command, **pipes) for _ in range(2)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    misses = [process.communicate()[0].strip() for process in processes]
    assert sorted(misses) == ["0", "1"]
