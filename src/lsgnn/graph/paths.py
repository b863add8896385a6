"""A path that a user gave → an existing file, or a sentence; the system's own errors have five types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsgnn.errors import InputError
from lsgnn.graph.shown import shown


def existing_file(given: Any) -> Path:
    """The file at this path, `~` undone; raises unless it is there and is a file."""
    path = expanded(given)
    if not is_file(path):
        raise InputError(f"{path} is not a file: check the path")
    return path


def expanded(given: Any) -> Path:
    """The path with `~` undone."""
    if not isinstance(given, str | Path):
        raise InputError(f"{shown(given)} is no path: pass the path of a file as text")
    if "\0" in str(given):
        raise InputError(f"{str(given)!r} holds a zero byte, which no path does: check the path")
    try:
        return Path(given).expanduser()
    except RuntimeError as error:  # ~nobody
        raise InputError(f"{given} names the home of a user who does not exist: check the path") from error


def is_file(path: Path) -> bool:
    """Whether there is such a file; raises where the system cannot even look."""
    try:
        return path.is_file()
    except OSError as error:  # too long, or a folder on the way may not be entered
        raise InputError(f"{shortened(path)} cannot be opened ({error.strerror}): check the path") from error


def is_folder(path: Path) -> bool:
    """Whether there is such a folder; False where the system cannot look."""
    try:
        return path.is_dir()
    except OSError:
        return False


def shortened(path: Path) -> str:
    """A path that is too long for the system is too long for a message as well."""
    text = str(path)
    return text if len(text) <= 200 else f"{text[:80]}…{text[-80:]}"
