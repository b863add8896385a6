"""What is left to a process: the least of what machine, control groups and ulimit leave."""

import os
import subprocess
import sys

import pytest

from lsgnn import InputError
from lsgnn.memory import available_memory, require_memory

MEMINFO = "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n"


@pytest.fixture
def machine(tmp_path):
    """A machine with 8000 KiB left; more files by their paths."""

    def machine(**files):
        for name, text in ({"proc/meminfo": MEMINFO} | files).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return machine


def test_the_machine_says_what_is_available(machine):
    assert available_memory(machine()) == 8000 << 10


def test_a_control_group_may_leave_less(machine):
    """The limit minus the use, but for file pages that the kernel drops at need; the group above counts as well."""
    group = "sys/fs/cgroup/jobs"
    root = machine(
        **{
            "proc/self/cgroup": "0::/jobs/mine\n",
            f"{group}/mine/memory.max": "max\n",
            f"{group}/mine/memory.current": "10\n",
            f"{group}/memory.max": "5000000\n",
            f"{group}/memory.current": "3000000\n",
            f"{group}/memory.stat": "anon 1\ninactive_file 500000\n",
        }
    )
    assert available_memory(root) == 2_500_000


def test_the_older_control_groups_are_read_too_also_inside_a_container(machine):
    root = machine(
        **{
            "proc/self/cgroup": "9:name=systemd:/\n4:memory:/docker/abc\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "4000\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": "5000\n",
        }
    )
    assert available_memory(root) == 0


def test_a_ulimit_counts(machine):
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))\n"
        "from lsgnn.memory import available_memory; print(available_memory())"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert 1 << 30 < int(done.stdout) < 1 << 32


def test_what_does_not_fit_is_refused_before_it_is_allocated():
    with pytest.raises(InputError, match=r"^the table needs 1,000 TB, but .* of memory are free: drop some columns$"):
        require_memory(10**15, "the table", "drop some columns")
    require_memory(10**6, "the table", "drop some columns")
