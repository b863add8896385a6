"""Fetches one file of a dataset's publisher into the cache folder: quickly or not at all, whole or not at all.

Nothing that has a known SHA-256 is handed on before it was compared, wherever it came from: a file in the cache may
have been put there by somebody else.
"""

from __future__ import annotations

import hashlib
import http.client
import urllib.request
from pathlib import Path
from typing import BinaryIO

from lsgnn.errors import DatasetUnavailable, InputError
from lsgnn.files import make_folder, write_atomically

ELSEWHERE = "set LSGNN_CACHE to another folder"  # what to do about a cache that cannot be written
TIMEOUT = 20.0  # seconds without a byte from the server


def fetch(url: str, path: Path, *, dataset: str, sha256: str = "") -> Path:
    """The file at `path`, downloaded from `url` unless it is there already; with `sha256` its content is checked."""
    if path.exists():
        if not path.is_file():
            raise InputError(f"{path} is in the way of a file of {dataset!r}: move it elsewhere and try again")
        with path.open("rb") as file:
            _check(file, sha256, dataset=dataset, origin=str(path), fix="delete that file and try again")
        return path
    make_folder(path.parent, fix=ELSEWHERE)
    try:
        with write_atomically(path) as file:
            download(url, file)
            file.seek(0)
            _check(file, sha256, dataset=dataset, origin=url, fix="nothing of it was kept, so try again later")
    except (OSError, http.client.HTTPException) as error:
        raise DatasetUnavailable(
            f"dataset {dataset!r} is not on this machine and its download failed ({url}: {_reason(error)}): "
            f"connect to the internet, or name a data folder that has {dataset}.npz (or set LSGNN_DATA to it)"
        ) from None
    return path


def download(url: str, file: BinaryIO) -> None:
    """Streams the answer of `url` into `file` (tests replace this function, so they never touch the network)."""
    with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
        while block := answer.read(1 << 20):
            file.write(block)


def _check(file: BinaryIO, sha256: str, *, dataset: str, origin: str, fix: str) -> None:
    if not sha256:
        return
    found = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # typeshed wants readinto
    if found != sha256:
        raise InputError(
            f"{origin} has SHA-256 {found[:12]}…, but for {dataset!r} it must be {sha256[:12]}… (it was replaced or is "
            f"damaged), so nothing read it: {fix}, or name a data folder that has {dataset}.npz"
        )


def _reason(error: BaseException) -> str:
    cause = str(getattr(error, "reason", None) or error)
    return cause.splitlines()[0] if cause else type(error).__name__
