"""Commands in processes forked from one that has imported everything: each takes a moment, and may be killed."""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tests.faults.strikes import SIGNALS, Strike, install

PATIENCE = 900.0  # seconds; a command that takes longer hangs, also on a machine whose cores are busy


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code (negative for a signal), what it said, and what it had done by then."""

    code: int
    out: str
    err: str
    struck: bool = False  # False where a fault was to come later than it took
    operations: int = 0
    cpu_seconds: float = 0.0
    modules: list[str] = field(default_factory=list)


def run(
    entry: Callable[[], Any], words: list[str], folder: Path, strike: Strike | None = None, cpu: float = 0
) -> Ended:
    """Runs a command in `folder`; `cpu` is the processor time of which an `in_time` strike names a share."""
    pipes = [os.pipe() for _ in ("out", "err", "told")]  # not files, which a full disk or a limit would hit too
    pid = os.fork()
    if pid == 0:
        _live(entry, words, folder, strike, *(write for _, write in pipes))
    for _, write in pipes:
        os.close(write)
    code, struck = _watched(pid, strike, cpu)
    out, err, told = [_drained(read) for read, _ in pipes]
    fields = json.loads(told or "{}")
    return Ended(code, out, err, struck=fields.pop("struck", False) or struck or code != 0, **fields)


def _drained(pipe: int) -> str:
    """What a pipe holds; a process that was left behind may keep its other end open."""
    os.set_blocking(pipe, False)
    found = b""
    with suppress(BlockingIOError):
        while part := os.read(pipe, 1 << 20):
            found += part
    os.close(pipe)
    return found.decode(errors="replace")


def _live(
    entry: Callable[[], Any], words: list[str], folder: Path, strike: Strike | None, out: int, err: int, told: int
) -> NoReturn:
    code = 70
    try:
        os.setsid()
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        os.chdir(folder)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        fcntl.fcntl(told, fcntl.F_SETPIPE_SZ, 1 << 20)
        watch = install(folder, strike)
        sys.argv = words
        begun = time.process_time()
        try:
            entry()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        spent = time.process_time() - begun
        fields = {
            "struck": watch.struck,
            "operations": watch.count,
            "cpu_seconds": spent,
            "modules": sorted(sys.modules),
        }
        os.write(told, json.dumps(fields).encode())
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _watched(pid: int, strike: Strike | None, cpu: float) -> tuple[int, bool]:
    """Waits for a process, strikes when its time has come, and gives it up when it hangs."""
    later = strike is not None and (strike.in_time or "worker" in strike.kind)
    begun, pending = time.monotonic(), later
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)  # what it may have left behind
            return os.waitstatus_to_exitcode(status), later and not pending
        if time.monotonic() - begun > PATIENCE:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise TimeoutError(f"a command hung for {PATIENCE:.0f} s")
        if pending and strike is not None:
            if strike.in_time and _cpu_seconds(pid) >= strike.at * cpu:
                os.kill(pid, SIGNALS[strike.kind])
                pending = False
            elif "worker" in strike.kind:
                pending = not _killed_a_worker(pid, strike)
        time.sleep(0.003)


def _cpu_seconds(pid: int) -> float:
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _killed_a_worker(pid: int, strike: Strike) -> bool:
    """Kills a worker that has worked for a while, wherever it is in the family of the process."""
    wanted = b"ray::" if "ray" in strike.kind else b"spawn_main" if strike.kind == "kill worker" else b"auto.worker"
    for child in _family(pid):
        with suppress(OSError):
            words = Path(f"/proc/{child}/cmdline").read_bytes()
            if wanted in words and b"IDLE" not in words and _cpu_seconds(child) >= strike.at:
                os.kill(child, signal.SIGKILL)
                return True
    return False


def _family(pid: int) -> list[int]:
    found, parents = [], {pid}
    for _ in range(4):
        children = set()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, IndexError, ValueError):
                if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) in parents:
                    children.add(int(folder.name))
        found += sorted(children)
        parents = children
    return found


def import_like(ended: Ended) -> bool:
    """Imports into this process what a command had imported, so that the next ones need not; False if it had that."""
    new = [name for name in ended.modules if name not in sys.modules and not name.endswith("__main__")]
    for name in new:
        with suppress(Exception):  # some are no modules that can be named
            importlib.import_module(name)
    return bool(new)
