"""Fetches one file of a dataset's publisher into the cache folder: quickly or not at all, whole or not at all.

PyG's own downloader has no time limit, does not check certificates and leaves half a file behind when it is
interrupted. So every raw file comes through here, and PyG only reads what lies in place.
"""

from __future__ import annotations

import hashlib
import http.client
import urllib.request
from pathlib import Path
from typing import BinaryIO

from lsgnn.errors import DatasetUnavailable, InputError
from lsgnn.files import write_atomically

TIMEOUT = 20.0  # seconds without a byte from the server


def fetch(url: str, path: Path, *, dataset: str, md5: str = "") -> Path:
    """The file at `path`, downloaded from `url` unless it is there already; with `md5` its content is checked."""
    if path.exists():
        with path.open("rb") as file:
            _check(file, md5, dataset=dataset, origin=str(path))
        return path
    make_folder(path.parent)
    try:
        with write_atomically(path) as file:
            download(url, file)
            file.seek(0)
            _check(file, md5, dataset=dataset, origin=url)
    except (OSError, http.client.HTTPException) as error:
        raise DatasetUnavailable(
            f"dataset {dataset!r} is not on this machine and its download failed ({url}: {_reason(error)}): "
            f"connect to the internet, or pass --data-dir (or set LSGNN_DATA) to a folder with {dataset}.npz"
        ) from None
    return path


def download(url: str, file: BinaryIO) -> None:
    """Streams the answer of `url` into `file` (tests replace this function, so they never touch the network)."""
    with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
        while block := answer.read(1 << 20):
            file.write(block)


def make_folder(folder: Path) -> None:
    """Creates a folder of the cache, or says which setting moves the cache elsewhere."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot create the cache folder {folder} ({error.strerror}): set LSGNN_CACHE to another"
        ) from None


def _check(file: BinaryIO, md5: str, *, dataset: str, origin: str) -> None:
    if not md5:
        return
    found = hashlib.md5(file.read(), usedforsecurity=False).hexdigest()
    if found != md5:
        raise InputError(
            f"{origin} has md5 {found}, but for {dataset!r} it must be {md5} (the publisher changed it, or it is "
            f"damaged): delete the file and try again, or pass --data-dir to a folder with {dataset}.npz"
        )


def _reason(error: BaseException) -> str:
    cause = str(getattr(error, "reason", None) or error)
    return cause.splitlines()[0] if cause else type(error).__name__
