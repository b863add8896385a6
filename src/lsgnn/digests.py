"""SHA-256 of files: what is read from disk must be what was written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

CHUNK = 1 << 22  # bytes read at once


def sha256_of(path: Path, on_bytes: Callable[[int], None] | None = None) -> str:
    """The digest of a file in hexadecimal; `on_bytes` is told how many more bytes have been read (for a bar)."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            if on_bytes is not None:
                on_bytes(len(chunk))
    return digest.hexdigest()
