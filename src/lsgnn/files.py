"""Files and folders that appear whole or not at all; used by everything that writes to disk.

The new content is written beside its final place, flushed to the disk and then renamed over it, so that a crash, a full
disk or Ctrl-C leaves what was there before. Only `kill -9` can leave a stray `.<name>.<random>.tmp`; should it hit
while the files of a folder are exchanged, the next who reads or writes the folder puts the earlier ones back. Whatever
else a folder holds is never touched.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from lsgnn.errors import InputError

EXCHANGED = ".old.tmp"  # the end of the name of a folder with what is being replaced
SEAL = "digests.json"  # of a folder that is whole: the first file to leave and the last to arrive


@contextmanager
def write_atomically(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file to write to; it becomes `path` when the block ends well and vanishes when it does not."""
    path = _place_for(path)
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise InputError(f"cannot write {path}: it is a device or a pipe, which would be replaced; name a file")
    temporary = _beside(path)
    try:
        # 0o666 as `open` does, so that the user's umask decides who may read the file
        file = os.fdopen(
            os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o666), "w+b"
        )
    except OSError as error:
        raise _not_writable(path, path.parent, error) from error
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


@contextmanager
def write_folder_atomically(path: str | Path) -> Iterator[Path]:
    """A new, empty folder to fill with files; all of them are in `path` when the block ends well, else none.

    They replace files of the same names that are there already; any other file stays as it is, where it is.
    """
    path = _place_for(path)
    there = path.exists()
    if there and not path.is_dir():
        raise InputError(f"cannot write the folder {path}: a file of that name is in the way; remove it first")
    if there:
        undo_exchange(path)
    new = _beside(path / path.name if there else path)  # inside the folder, which may be a disk of its own
    try:
        new.mkdir()
    except OSError as error:
        raise _not_writable(path, path if there else path.parent, error) from error
    try:
        yield new
        for file in new.iterdir():
            with file.open("rb") as written:
                os.fsync(written.fileno())
        if path.exists():
            _exchange(path, new)
        else:
            os.replace(new, path)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    _sync_folder(path)
    _sync_folder(path.parent)


def _exchange(path: Path, new: Path) -> None:
    """Renames the files of `new` into the folder `path`; what they replace comes back should a step fail."""
    names = sorted((file.name for file in new.iterdir()), key=lambda name: name == SEAL)
    for name in names:
        if (path / name).is_dir():
            raise InputError(f"cannot write {path / name}: a folder of that name is in the way; remove it first")
    old = path / f".{secrets.token_hex(6)}{EXCHANGED}"
    old.mkdir()
    with _locked(path):
        try:
            for name in reversed(names):
                if os.path.lexists(path / name):
                    os.replace(path / name, old / name)
            for name in names:
                os.replace(new / name, path / name)
        except BaseException:
            for name in names:
                if os.path.lexists(old / name):
                    os.replace(old / name, path / name)
                elif not (new / name).exists():
                    (path / name).unlink(missing_ok=True)
            old.rmdir()
            raise
        shutil.rmtree(old, ignore_errors=True)


def undo_exchange(path: Path) -> None:
    """Puts back the files of a folder whose exchange was killed; one that goes on just now is waited for."""
    if not any(path.glob(f".*{EXCHANGED}")):
        return
    with suppress(PermissionError), _locked(path):
        for old in path.glob(f".*{EXCHANGED}"):
            if (path / SEAL).exists():
                shutil.rmtree(old)  # all new files had arrived
            elif (old / SEAL).exists():
                for name in sorted((file.name for file in old.iterdir()), key=lambda name: name == SEAL):
                    os.replace(old / name, path / name)
                old.rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time; the system unlocks what a killed one had locked. Windows cannot lock a folder."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def make_folder(path: str | Path, fix: str = "choose another place") -> Path:
    """The folder, made with its parents if it does not exist; `fix` is what to do where it cannot be made."""
    path = Path(path).expanduser()
    require_name(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {path} ({error.strerror}): {fix}") from error
    return path


def require_name(path: str | Path) -> None:
    """Raises where no file of that name can exist; every question about it would fail."""
    try:
        os.lstat(Path(path).expanduser())
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise name_too_long(path) from error


def name_too_long(path: Any) -> InputError:
    name = os.fspath(path)
    return InputError(f"the name {name[:40]!r}… is too long for this disk ({len(os.fsencode(name))} bytes): shorten it")


def safe_name(text: str) -> str:
    """One step of a path made of any text, such as a graph's name: not empty, not hidden, and never out of its folder.

    Letters, digits and `-_.` stay; two texts may become the same, so what must not meet needs a digest besides.
    """
    name = re.sub(r"[^\w.-]", "_", text).encode()[:100].decode(errors="ignore")  # systems count bytes, up to 255
    return re.sub(r"^\.|^$", "_", name)


def write_text(path: str | Path, text: str) -> None:
    """Writes UTF-8 text, whole or not at all; names of files that are no UTF-8 are spelled with escapes."""
    with write_atomically(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def write_json(path: str | Path, value: Any) -> None:
    """Writes one JSON document, whole or not at all; numpy values become plain ones, NaN and infinity null."""
    write_text(path, json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def plain(value: Any) -> Any:
    """JSON knows neither numpy nor NaN, and a file that other tools refuse to read is of no use."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()  # a file's name may be no UTF-8
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, os.PathLike) else value


def _place_for(path: str | Path) -> Path:
    """Where the bytes will really live: links are followed, so that a link stays a link."""
    path = Path(os.path.realpath(Path(path).expanduser()))
    require_name(path)
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: the folder {path.parent} does not exist; create it first")
    return path


def _beside(path: Path) -> Path:
    start = os.fsdecode(os.fsencode(path.name)[:200])  # disks limit the bytes of a name, not its letters
    return path.with_name(f".{start}.{secrets.token_hex(6)}.tmp")


def _not_writable(path: Path, folder: Path, error: OSError) -> InputError:
    return InputError(
        f"cannot write {path}: the folder {folder} is not writable ({error.strerror}); choose another folder"
    )


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # some systems cannot sync a folder; the rename has happened all the same
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
