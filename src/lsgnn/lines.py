"""Finished work as lines of JSON, in files that only grow: whatever is killed goes on where it was.

A line is known by its key, a digest of everything that decides its content (data, split, configuration, metric): a key
that is there is finished work, and a changed configuration is another key. A line also carries a digest of its own
text, so that a damaged one is known and its work done again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsgnn.errors import InputError
from lsgnn.files import make_folder, plain

CHECK = "check"  # the last field of a line


class LineFile:
    """A file with one JSON object per line, each with its `key`; lines are only ever added, by one process or several.

    A line is written at once, under a lock, and is on the disk when `add` returns. What a killed process left half
    written is no line: it is passed over, and the next line begins on a new one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._state: tuple[int, ...] = ()
        self._lines: dict[str, dict[str, Any]] = {}

    def lines(self) -> Mapping[str, dict[str, Any]]:
        """Key → line, in the order of the lines. Of several lines with one key the last counts, damaged ones never."""
        try:
            now = self.path.stat()
            state = (now.st_ino, now.st_size, now.st_mtime_ns)
            if state != self._state:  # other processes may have added some
                self._lines, self._state = _parsed(self.path.read_bytes()), state
        except (FileNotFoundError, NotADirectoryError):
            self._lines, self._state = {}, ()
        except OSError as error:
            raise InputError(f"cannot read {self.path} ({error.strerror}): make it a readable file") from error
        return self._lines

    def add(self, key: str, content: Mapping[str, Any]) -> None:
        """Adds one line; NaN and infinity become null, as JSON knows neither."""
        make_folder(self.path.parent)
        whole = {"key": key} | plain(content)
        line = _text(whole | {CHECK: _check_of(whole)}).encode("utf-8") + b"\n"
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(self.path, flags, 0o666)
            try:
                _append(descriptor, line)
            finally:
                os.close(descriptor)  # which ends the lock as well
        except OSError as error:
            reason = f"cannot add to {self.path} ({error.strerror}): make room for it, or choose another folder"
            raise InputError(reason) from error


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _check_of(content: Mapping[str, Any]) -> str:
    """A digest of what a line holds besides it; what was read is spelled as it was written."""
    try:
        return hashlib.sha256(_text(content).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    except ValueError:  # NaN, which no line of ours holds
        return "no digest"


def _parsed(raw: bytes) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for line in raw.split(b"\n"):
        try:
            content = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):  # half a line, or bytes that are no text
            continue
        if not isinstance(content, dict) or content.pop(CHECK, None) not in (None, _check_of(content)):
            continue  # lines of earlier versions have no digest
        if isinstance(key := content.pop("key", None), str):
            found.pop(key, None)  # so that the order is that of the lines that count
            found[key] = content
    return found


def _append(descriptor: int, line: bytes) -> None:
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if size:
        os.lseek(descriptor, size - 1, os.SEEK_SET)
        line = line if os.read(descriptor, 1) == b"\n" else b"\n" + line
    if os.write(descriptor, line) < len(line):  # the disk is full
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


def key_of(*decides: Any) -> str:
    """A digest of everything that decides a result, as JSON can hold it."""
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:16]
