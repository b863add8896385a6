"""How much memory this process may still take, asked before something large is allocated.

Linux hands out memory that it does not have and later kills the process that uses it, so nothing but asking first
leads to an error message.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from lsgnn.errors import InputError
from lsgnn.sizes import in_words

SMALL = 10**8  # bytes; less than this is not worth the question
# files of a control group, version 2 and 1: limit, use, and the part of the use that the kernel gives back at need
CGROUP_FILES = {
    "": ("", "memory.max", "memory.current", "inactive_file"),
    "memory": ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def available_memory(root: Path = Path("/")) -> int | None:
    """Bytes that are left to this process by the machine, its control groups and its ulimit; None where unknown.

    Args:
        root: where /proc and /sys are.
    """
    left = [_left_by_machine(root), _left_by_ulimit(root), *_left_by_cgroups(root)]
    known = [size for size in left if size is not None]
    return max(0, min(known)) if known else None


def require_memory(needed: int, what: str, fix: str) -> None:
    """Raises if `what` needs more bytes than there are.

    Args:
        what: the start of the sentence, such as "x of shape (10, 3)".
        fix: its end, such as "drop some columns".
    """
    if needed < SMALL:
        return
    available = available_memory()
    if available is not None and needed > available:
        raise InputError(f"{what} needs {in_words(needed)}, but {in_words(available)} of memory are free: {fix}")


def _left_by_machine(root: Path) -> int | None:
    found = _field(root / "proc/meminfo", "MemAvailable:")
    if found is not None:
        return found * 1024
    try:  # macOS: all there is, for want of a better number
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _left_by_ulimit(root: Path) -> int | None:
    try:
        import resource  # Unix only
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    used = _field(root / "proc/self/status", "VmSize:") or 0
    return int(limit) - used * 1024


def _left_by_cgroups(root: Path) -> Iterator[int | None]:
    """What each control group above this process leaves it."""
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        kind = "memory" if "memory" in controllers.split(",") else controllers
        if kind not in CGROUP_FILES:
            continue
        folder, limit_file, use_file, spare = CGROUP_FILES[kind]
        top = root / "sys/fs/cgroup" / folder
        inside = PurePosixPath(path.strip("/"))
        for group in (inside, *inside.parents):  # inside a container only the top exists
            limit, used = _number(top / group / limit_file), _number(top / group / use_file)
            if limit is not None and used is not None:
                yield limit - used + (_field(top / group / "memory.stat", spare) or 0)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _number(path: Path) -> int | None:
    text = "".join(_lines(path))
    return int(text) if text.isdecimal() else None  # "max" is no limit


def _field(path: Path, name: str) -> int | None:
    for line in _lines(path):
        words = line.split()
        if len(words) > 1 and words[0] == name and words[1].isdecimal():
            return int(words[1])
    return None
