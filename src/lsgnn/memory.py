"""How much memory there is, asked before much of it is taken: a machine that runs out of it ends programs unasked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lsgnn.errors import InputError
from lsgnn.sizes import in_words

LOWER_K = "lower K, or train on a store that `precompute` writes"
LOWER_EITHER = LOWER_K.replace("lower K", "lower hidden_channels or K")
ASKED_FROM = 1 << 26  # bytes; the system takes its time to answer, and a search trains small models by the thousand


def require_memory(needed: int, what: str, fix: str) -> None:
    """Raises if `what` needs more bytes than there are; `fix` is what the user can do about it."""
    if needed < ASKED_FROM:
        return
    there = available_memory()
    if there is not None and needed > there:
        raise InputError(f"{what} needs {in_words(needed)} of memory, but there are {in_words(there)}: {fix}")


def available_memory(root: Path = Path("/")) -> int | None:
    """What this process may still take: the least of the machine, its control groups and its own limit.

    None where the system does not tell. `root` is where the system's own files are.
    """
    return min((*_machine(root), *_control_groups(root), *_own_limit(root)), default=None)


def _machine(root: Path) -> Iterator[int]:
    with suppress(OSError, ValueError, KeyError, IndexError):
        lines = (root / "proc/meminfo").read_text().splitlines()
        kilobytes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
        yield 1024 * (kilobytes["MemAvailable"] + kilobytes.get("SwapFree", 0))
        return
    with suppress(OSError, ValueError, AttributeError):  # without /proc: what there is, used or not
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _control_groups(root: Path) -> Iterator[int]:
    """What is left in the groups that the process is in (containers, batch systems), of either version of them."""
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, place = line.split(":", 2)
            if controllers == "":
                names = ("memory.max", "memory.current", "inactive_file")
                yield from _left_in(root / "sys/fs/cgroup", place, *names)
            elif "memory" in controllers.split(","):
                names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
                yield from _left_in(root / "sys/fs/cgroup/memory", place, *names)


def _left_in(top: Path, place: str, limit: str, usage: str, reclaimable: str) -> Iterator[int]:
    """The limit of a group holds for those in it, so all groups above count; a container may not see its own."""
    steps = Path(place.lstrip("/"))
    for group in (top / steps, *(top / above for above in steps.parents)):
        with suppress(OSError, ValueError, KeyError):  # no such group, or "max": no limit
            free = int((group / limit).read_text()) - int((group / usage).read_text())
            stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
            yield max(0, free + int(stat[reclaimable]))  # files that are kept in memory give way


def _own_limit(root: Path) -> Iterator[int]:
    """What `ulimit -v` leaves."""
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            used = int((root / "proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            yield max(0, limit - used)
