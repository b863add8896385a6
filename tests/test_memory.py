"""How much memory there is, from the files of a made-up system, and what is said where there is too little."""

import resource
from pathlib import Path

import pytest

from lsgnn import InputError, memory
from lsgnn.memory import available_memory, require_memory

GB = 10**9


def put(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """8,000,000 KiB are left, a quarter of that in the swap file; nothing else limits the process."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
    meminfo = "MemTotal: 9000000 kB\nMemAvailable: 6000000 kB\nSwapFree: 2000000 kB\nHugePages_Total: 0\n"
    put(tmp_path, proc__meminfo=meminfo)
    return tmp_path


def test_without_limits_it_is_what_the_machine_has_left(machine: Path) -> None:
    assert available_memory(machine) == 8_000_000 * 1024


def group(root: Path, place: str, limit: str, usage: int, files: int) -> None:
    folder = root / "sys/fs/cgroup" / place
    put(folder, **{"memory.max": limit, "memory.current": f"{usage}\n", "memory.stat": f"inactive_file {files}\nx 1\n"})


def test_the_strictest_group_above_the_process_counts_and_files_in_memory_give_way(machine: Path) -> None:
    put(machine, proc__self__cgroup="0::/batch/job\n")
    group(machine, "batch/job", "max\n", 10, 0)
    group(machine, "batch", f"{4 * GB}\n", 3 * GB, GB // 2)
    group(machine, "", "max", 0, 0)
    assert available_memory(machine) == 3 * GB // 2
    group(machine, "batch/job", f"{2 * GB}", 2 * GB, 1000)
    assert available_memory(machine) == 1000


def test_groups_of_the_first_version_are_read_too(machine: Path) -> None:
    put(machine, proc__self__cgroup="9:cpu,cpuacct:/\n4:memory:/docker/abc\n0::/\n")
    top = machine / "sys/fs/cgroup/memory"  # in a container the group itself is the top, whatever its name outside
    files = {"memory.limit_in_bytes": f"{GB}", "memory.usage_in_bytes": "1000", "memory.stat": "total_inactive_file 7"}
    put(top, **files)
    assert available_memory(machine) == GB - 1000 + 7


def test_the_limit_of_the_process_counts(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (10**9, resource.RLIM_INFINITY))
    put(machine, proc__self__statm="1000 5 5 5\n")
    assert available_memory(machine) == 10**9 - 1000 * resource.getpagesize()


@pytest.mark.parametrize("text", ["", "nonsense", "MemAvailable: many kB", "MemTotal: 1 kB"])
def test_a_system_that_tells_nothing_of_use_is_asked_otherwise(machine: Path, text: str) -> None:
    put(machine, proc__meminfo=text, proc__self__cgroup="0::/gone\n")
    found = available_memory(machine)
    assert found is not None
    assert found > 10**6  # this machine's own


def test_this_machine_has_some() -> None:
    assert (available_memory() or 0) > 10**6


def test_what_does_not_fit_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2 * GB)
    require_memory(2 * GB, "this", "do that")
    with pytest.raises(InputError, match=r"^this needs 2\.5 GB of memory, but there are 2 GB: do that$"):
        require_memory(2_500_000_000, "this", "do that")
    monkeypatch.setattr(memory, "available_memory", lambda: 0)
    require_memory(1000, "this", "do that")  # too little to ask about
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    require_memory(10**30, "this", "do that")  # nobody knows
