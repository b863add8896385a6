"""Machine code on disk: once per machine, in the user's cache folder.

Numba's own cache notices changes in the file of the cached function only, and writes beside the sources. Kernels here
are spread over the files of a folder and inlined into each other, so the cache is keyed by a hash of that folder and of
Numba's version (two environments with different ones would overwrite each other's code for ever). It lives in
`$LSGNN_CACHE`, else `$XDG_CACHE_HOME/lsgnn`, else `~/.cache/lsgnn`. Where none of these can be written, every process
compiles for itself.

Whoever compiles something holds its lock; others who want the same wait, and load it then.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from lsgnn.cache import cache_places


@cache
def _announce(package: str, what: str) -> None:
    """Says it once per process, however many kernels are part of it."""
    logging.getLogger(package).warning("compiling %s (once per machine) …", what)


class Locator(_CacheLocator):  # type: ignore[misc]  # Numba has no type hints
    """Tells Numba where to keep machine code and when it is stale."""

    def __init__(self, folder: Path) -> None:
        self.stamp = source_hash(folder)

    def get_cache_path(self) -> str:
        return f"{kernel_folder()}/kernels-{self.stamp[:16]}"

    def get_source_stamp(self) -> str:
        return self.stamp

    def get_disambiguator(self) -> str:
        return self.stamp[:10]

    @classmethod
    def from_function(cls, function: Any, file: str) -> Locator:
        return cls(Path(file).parent)


class _Implementation(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (Locator,)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, in our place, with a lock for each signature."""

    _impl_class = _Implementation

    def __init__(self, function: Any, what: str | None) -> None:
        super().__init__(function)
        self._what, self._locks = what, dict[str, int]()

    def load_overload(self, signature: Any, context: Any) -> Any:
        found = super().load_overload(signature, context)
        if found is None:
            self._lock(signature)
            found = super().load_overload(signature, context)  # if somebody else was at it
            if found is not None:
                self._unlock(signature)
            elif self._what is not None:
                _announce(self._py_func.__module__.rpartition(".")[0], self._what)
        return found

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        finally:
            self._unlock(signature)

    def holds(self, signature: Any, context: Any) -> bool:
        """Whether this is on disk."""
        return self._index_key(signature, context.codegen()) in self._cache_file._load_index()

    def is_locked(self, signature: Any) -> bool:
        """Whether another process compiles this right now."""
        if sys.platform == "win32" or not self._lock_file(signature).exists():
            return False
        import fcntl

        descriptor = os.open(self._lock_file(signature), os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    def _lock_file(self, signature: Any) -> Path:
        digest = hashlib.sha256(str(signature).encode()).hexdigest()[:16]
        return Path(self.cache_path, f"{self._py_func.__name__}-{digest}.lock")

    def _lock(self, signature: Any) -> None:
        """Waits for whoever has it. The system unlocks what a killed process had locked; Windows has no such lock."""
        file = self._lock_file(signature)
        if sys.platform == "win32" or str(file) in self._locks:
            return
        import fcntl

        self._impl.locator.ensure_cache_path()
        self._locks[str(file)] = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._locks[str(file)], fcntl.LOCK_EX)

    def _unlock(self, signature: Any) -> None:
        descriptor = self._locks.pop(str(self._lock_file(signature)), None)
        if descriptor is not None:
            os.close(descriptor)


@cache
def source_hash(folder: Path) -> str:
    """Hash of Numba's version, of how we compile and of a folder: if one changes, its kernels are compiled anew."""
    digest = hashlib.sha256(numba.__version__.encode())
    for file in [Path(__file__), Path(__file__).with_name("compiled.py"), *sorted(folder.glob("*.py"))]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


@cache
def kernel_folder() -> Path | None:
    """The first place for a cache (`lsgnn.cache`) that can be written."""
    return next((folder for folder in cache_places() if _writable(folder)), None)


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True
