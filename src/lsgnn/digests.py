"""SHA-256 of files: what is read from disk must be what was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsgnn.errors import InputError
from lsgnn.files import write_json

CHUNK = 1 << 22  # bytes read at once
DIGESTS = "digests.json"  # {"files": {name: digest}} of the other files of a run's folder


def sha256_of(path: Path, on_bytes: Callable[[int], None] | None = None) -> str:
    """The digest of a file in hexadecimal; `on_bytes` is told how many more bytes have been read (for a bar)."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            if on_bytes is not None:
                on_bytes(len(chunk))
    return digest.hexdigest()


def write_digests(folder: Path, names: Sequence[str]) -> None:
    """Records the digests of these files of a folder, in the folder; call it when all of them are written."""
    write_json(folder / DIGESTS, {"files": {name: sha256_of(folder / name) for name in names}})


def verify_digests(folder: Path, names: Sequence[str] = ()) -> None:
    """Raises unless every file that `write_digests` recorded is as it was, and all of `names` are among them."""
    recorded = _recorded(folder)
    if unlisted := [name for name in names if name not in recorded]:
        raise InputError(f"{folder / DIGESTS} is damaged (it does not list {unlisted[0]}): restore it or train again")
    for name, expected in recorded.items():
        file = folder / name
        if not file.is_file():  # a pipe would be waited for
            raise InputError(f"{file} is missing: restore it or train again")
        try:
            found = sha256_of(file)
        except OSError as error:
            raise InputError(f"{file} cannot be read ({error.strerror}): restore it or train again") from error
        if found != expected:
            raise InputError(
                f"{file} is damaged: its SHA-256 is {found[:12]}…, but {expected[:12]}… was recorded: "
                "restore it or train again"
            )


def _recorded(folder: Path) -> dict[str, str]:
    file = folder / DIGESTS
    if not file.is_file():
        raise InputError(f"{folder} has no {DIGESTS}, so that its files cannot be trusted: restore it or train again")
    try:
        document: Any = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file} is damaged ({error}): restore it or train again") from error
    files = document.get("files") if isinstance(document, dict) else None
    if not isinstance(files, dict) or not all(
        isinstance(digest, str) and Path(name).name == name for name, digest in files.items()
    ):
        raise InputError(f'{file} is damaged (it must be {{"files": {{name: SHA-256}}}}): restore it or train again')
    return files
