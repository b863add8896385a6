"""How kernels are compiled by Numba, and where the machine code is kept: once per machine, in the user's cache folder.

Numba's own cache notices changes in the file of the cached function only, and writes beside the sources. Kernels here
are spread over the files of a folder and inlined into each other, so the cache is keyed by a hash of that folder and of
Numba's version (two environments with different ones would overwrite each other's code for ever). It lives in
`$LSGNN_CACHE`, else `$XDG_CACHE_HOME/lsgnn`, else `~/.cache/lsgnn`. Where none of these can be written, every process
compiles for itself.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from lsgnn.cache import cache_places

F = TypeVar("F", bound=Callable[..., Any])

# _nrt=False: no reference counting, because kernels allocate nothing; every buffer comes from Python.
# No "nnan" in fastmath: a diverging training must show.
OPTIONS = dict(
    fastmath={"contract", "reassoc", "nsz", "arcp"}, boundscheck=False, error_model="numpy", nogil=True, _nrt=False
)


class _LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]  # Numba has no type hints
    """The code of a kernel that only other kernels call. It is linked into theirs and optimised there, once, with
    all the rest: nothing is optimised or turned into machine code before, a large part of the time to compile."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # there is no machine code

    @property
    def codegen(self) -> _LinkedLibrary:  # asked for nothing but `set_env`
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Kernels have no use for Python objects, and no place in memory to put them."""


class _LinkedCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        if self.state.library is None:
            self.state.library = _LinkedLibrary(self.state.targetctx.codegen(), "kernel")


# what only other kernels call needs no way in from Python
INTERNAL = dict(OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_LinkedCompiler)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function compiled on its own, called from other kernels (Numba types the calls, so hints can be loose)."""
    return njit(**INTERNAL)(function)  # type: ignore[no-any-return]


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function compiled into its callers: for what runs once per row, where passing arguments costs more."""
    return njit(forceinline=True, **INTERNAL)(function)  # type: ignore[no-any-return]


def entry_point(what: str) -> Callable[[F], F]:
    """For functions called from Python: their machine code, with all the kernels they call, is kept on disk.

    `what` is being compiled, for the line that tells the user why the first call takes its time.
    """

    def decorate(function: F) -> F:
        compiled: Any = njit(no_cfunc_wrapper=True, **OPTIONS)(function)
        if kernel_folder() is not None:
            compiled._cache = _Cache(function)
            compiled._cache.what = what
        entry: F = compiled
        return entry

    return decorate


class _Locator(_CacheLocator):  # type: ignore[misc]  # Numba has no type hints
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
    def from_function(cls, function: Any, file: str) -> _Locator:
        return cls(Path(file).parent)


class _Implementation(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _Cache(FunctionCache):  # type: ignore[misc]
    _impl_class = _Implementation
    what = "a kernel"

    def load_overload(self, signature: Any, context: Any) -> Any:
        found = super().load_overload(signature, context)
        if found is None:
            package = self._py_func.__module__.rpartition(".")[0]
            logging.getLogger(package).warning("compiling %s (once per machine) …", self.what)
        return found


@cache
def source_hash(folder: Path) -> str:
    """Hash of Numba's version, this file and all of a folder: if one changes, its kernels are compiled anew."""
    digest = hashlib.sha256(numba.__version__.encode())
    for file in [Path(__file__), *sorted(folder.glob("*.py"))]:
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
