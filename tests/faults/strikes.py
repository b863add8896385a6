"""What can happen to a command: installed in its own process, right before it begins."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIGNALS = {"kill": signal.SIGKILL, "terminate": signal.SIGTERM, "interrupt": signal.SIGINT}
ERRORS = {"disk error": errno.EIO, "disk full": errno.ENOSPC}
NOBODY = 65534


@dataclass(frozen=True)
class Strike:
    """One fault.

    Args:
        kind: `kill`, `terminate`, `interrupt` (signals), `disk error` (one operation fails), `disk full` (nothing new
            can be made from then on), `revoke` (folders become read-only), `file limit` (files may not grow beyond so
            many bytes), `small disk` (a disk with so many free bytes), `flip` (a bit of a file on disk),
            `kill worker`, `kill ray worker`.
        at: when: the number of the disk operation; bytes for `file limit`; a share for `small disk`, `flip` and for
            signals `in_time`, of what the command takes without a fault.
        in_time: whether signals come after a share of the processor time instead of at a disk operation.
    """

    kind: str
    at: float
    in_time: bool = False

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:g}{' of its time' if self.in_time else ''}"


class DiskWatch:
    """Counts what a process does to files below a folder, and strikes at the chosen operation, before it happens."""

    def __init__(self, folder: Path, strike: Strike | None) -> None:
        self.folder, self.strike, self.count, self.struck = os.fspath(folder), strike, 0, False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        makes = event == "os.mkdir" or (event == "open" and _is_write(arguments))
        if not makes and event not in ("os.rename", "os.remove", "os.rmdir", "os.truncate"):
            return
        path = arguments[0]
        if isinstance(path, int) or not os.path.abspath(os.fsdecode(path)).startswith(self.folder):
            return
        self.count += 1
        strike = self.strike
        if strike is None or strike.in_time:
            return
        if strike.kind == "disk full" and makes and self.count >= strike.at:
            self.struck = True
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        if self.count != strike.at:
            return
        self.struck = strike.kind != "disk full"
        if strike.kind in SIGNALS:
            os.kill(os.getpid(), SIGNALS[strike.kind])
        elif strike.kind == "disk error":
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        elif strike.kind == "revoke":
            for folder, _, _ in os.walk(self.folder):
                os.chmod(folder, 0o500)


def _is_write(arguments: tuple[Any, ...]) -> bool:
    _, mode, flags = arguments
    return any(letter in (mode or "") for letter in "wax+") or bool((flags or 0) & (os.O_WRONLY | os.O_RDWR))


def install(folder: Path, strike: Strike | None) -> DiskWatch:
    """In the process that is to be struck; a hook cannot be taken away again."""
    watch = DiskWatch(folder, strike)
    if strike is not None and strike.kind == "file limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(strike.at), int(strike.at)))
    if strike is not None and strike.kind == "revoke" and os.getuid() == 0:  # nothing is forbidden to root
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    sys.addaudithook(watch)
    return watch
