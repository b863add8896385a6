"""Digests of a store's files: what is read from it is what was written to it, under that name and to that store.

Beside an array `y.npy` lies its record `y.npy.digest`: {"store": …, "file": "y.npy", "sha256": …}. The digest is that
of the plain bytes, so that `sha256sum` finds it as well; because the record names store and file, a file that was
copied from another store of equal shape, or to another name, is refused. A record is written before its array gets its
name, so that there is no array without one; a process that is killed in between leaves a record that the same step
writes again. JSON documents hold their digests themselves, and so are replaced in one step.

Always on: a file is read as a whole the first time that a process opens it, which takes 0.6 s of a core per gigabyte
if the disk keeps up. A process remembers what it verified or wrote itself, by inode, size and time of change, so that
to open it again costs a few `stat`s. A process of a pool lives for many tasks: it verifies the neighbour lists, which
all tasks read, once, and blocks of columns are read by one task only.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from lsgnn.digests import sha256_of
from lsgnn.errors import InputError
from lsgnn.files import plain, write_json

Signature: TypeAlias = tuple[Any, ...]


def record_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.digest")


def write_record(file: Path, name: str, store: str, sha256: str) -> None:
    """Records what the file `name` of a store will hold."""
    write_json(record_of(file), {"store": store, "file": name, "sha256": sha256})


def verify_record(file: Path, name: str, store: str, fix: str, on_bytes: Callable[[int], None] | None = None) -> None:
    """Raises unless the file is the one that was written under that name to that store."""
    record = read_json(record_of(file), fix)
    if record.keys() != {"store", "file", "sha256"} or not isinstance(record["sha256"], str):
        raise InputError(f"{record_of(file)} is damaged (it is no record of store, file and sha256): {fix}")
    if (record["store"], record["file"]) != (store, name):
        whose = "another store" if record["file"] == name else f"{record['file']!r}"
        raise InputError(f"{file} is in the wrong place (it was written as that of {whose}): {fix}")
    try:
        found = sha256_of(file, on_bytes)
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}): {fix}") from error
    if found != record["sha256"]:
        recorded = record["sha256"][:12]
        raise InputError(f"{file} is damaged: its SHA-256 is {found[:12]}…, but {recorded}… was recorded: {fix}")


def signature(file: Path, store: str) -> Signature:
    """What changes when the file, its record or the store it belongs to does."""
    stats = [os.stat(path) for path in (file, record_of(file))]
    return (str(file), store, *((s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in stats))


@cache
def verified() -> set[Signature]:
    """The signatures of all files that this process has verified, or written itself."""
    return set()


def write_sealed(file: Path, document: Mapping[str, Any]) -> None:
    """Writes a JSON document with its digest in it."""
    write_json(file, {**document, "sha256": _seal(document)})


def read_sealed(file: Path, fix: str) -> dict[str, Any]:
    """The document that `write_sealed` wrote."""
    document = read_json(file, fix)
    if "sha256" not in document:
        raise InputError(f"{file} has no SHA-256: it is damaged, or of a store made before stores had them: {fix}")
    recorded = document.pop("sha256")
    if _seal(document) != recorded:
        raise InputError(f"{file} is damaged: what it holds has another SHA-256 than was recorded: {fix}")
    return document


def _seal(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(plain(document), sort_keys=True).encode()).hexdigest()


def read_json(file: Path, fix: str) -> dict[str, Any]:
    """A JSON object from a file that may be damaged in any way."""
    if not file.is_file():  # a pipe would be waited for
        raise InputError(f"{file} is missing or no file: {fix}")
    try:
        document = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}): {fix}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is damaged ({error}): {fix}") from error
    if not isinstance(document, dict):
        raise InputError(f"{file} is damaged (it must be a JSON object): {fix}")
    return document
