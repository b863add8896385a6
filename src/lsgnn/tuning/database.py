"""Where a study is kept: one SQLite file of any name, as Optuna and its dashboard read it, shared by processes."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import optuna

from lsgnn.errors import InputError
from lsgnn.files import require_name

WAIT_SECONDS = 60  # for another process that writes to the file


def place_of(storage: str | Path) -> Path:
    """The file that is meant, from the root on and without links: processes that share it must agree on its name.

    What is there must be a study, and writable: a search would be prepared for nothing.
    """
    if re.match(r"\w[\w+.-]+:/", str(storage)) and not Path(storage).parent.is_dir():
        raise InputError(f"storage={str(storage)!r} looks like a URL, but a study is kept in a file: pass its path")
    file = Path(os.path.realpath(os.path.expanduser(storage)))
    if not file.parent.is_dir():
        raise InputError(f"cannot write {file}: the folder {file.parent} does not exist; create it first")
    if file.exists() and not (file.is_file() and _may_be_sqlite(file)):
        raise InputError(f"{file} is not a study database: choose another file or remove it first")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise InputError(f"cannot write {file}: it is read-only; choose another file")
    return file


@contextmanager
def turn(file: Path | None) -> Iterator[None]:
    """Inside, no other process makes this study's tables, queues or takes a trial (nor can any without a file).

    The lock is a file beside the study and ends with the process, however it ends.
    """
    if file is None or sys.platform == "win32":
        yield
        return
    import fcntl

    lock = file.with_name(f".{file.name}.lock")
    require_name(lock)
    while True:
        try:
            descriptor = os.open(lock, os.O_RDONLY | os.O_CREAT, 0o666)
        except OSError as error:
            raise InputError(f"cannot write {lock} ({error.strerror}): choose another place for {file.name}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_still(lock, descriptor):  # the one before us may have removed what we waited for
                try:
                    yield
                finally:
                    lock.unlink(missing_ok=True)
                return
        finally:
            os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def database(file: Path) -> optuna.storages.RDBStorage:
    """The tables in that file, made if it is new; in one's `turn` only, as two processes cannot make them at once."""
    from sqlalchemy.exc import SQLAlchemyError
    from sqlalchemy.pool import QueuePool

    # no URL could carry every name: in one, ? # % and {} mean something
    connect = partial(sqlite3.connect, file, timeout=WAIT_SECONDS, check_same_thread=False)
    try:
        return optuna.storages.RDBStorage("sqlite://", engine_kwargs={"creator": connect, "poolclass": QueuePool})
    except (SQLAlchemyError, RuntimeError) as error:  # the latter where an older Optuna made the tables
        reason = str(error).splitlines()[0]
        raise InputError(f"cannot use {file} as a study database ({reason}): choose another file") from error


def _may_be_sqlite(file: Path) -> bool:
    """True for a database, and for an empty file, which is all that a process killed at once leaves behind."""
    try:
        with file.open("rb") as opened:
            return opened.read(16) in (b"", b"SQLite format 3\0")
    except OSError as error:
        raise InputError(f"cannot read {file} ({error.strerror}): choose another file") from error
