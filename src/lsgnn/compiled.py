"""How kernels are compiled by Numba; `kernel_cache.py` keeps the machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from lsgnn.kernel_cache import KernelCache, kernel_folder

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


def entry_point(what: str | None) -> Callable[[F], F]:
    """For functions called from Python: their machine code, with all the kernels they call, is kept on disk.

    `what` is being compiled, for the line that tells the user why the first call takes its time; None: somebody else
    tells.
    """

    def decorate(function: F) -> F:
        compiled: Any = njit(no_cfunc_wrapper=True, **OPTIONS)(function)
        if kernel_folder() is not None:
            compiled._cache = KernelCache(function, what)
        entry: F = compiled
        return entry

    return decorate


def is_compiled(entry: Any, kinds: tuple[Any, ...]) -> bool:
    """Whether an entry point need not be compiled for arguments of these types."""
    if kinds in entry.overloads:
        return True
    return isinstance(entry._cache, KernelCache) and entry._cache.holds(kinds, entry.targetctx)


def is_being_compiled(entry: Any, kinds: tuple[Any, ...]) -> bool:
    """Whether another process is at it; whoever wants it waits for that one."""
    return isinstance(entry._cache, KernelCache) and entry._cache.is_locked(kinds)


def address_of(entry: Any, kinds: tuple[Any, ...]) -> int:
    """Where the machine code of an entry point for arguments of these types begins; it is loaded or compiled first."""
    entry.compile(kinds)
    compiled = entry.overloads[kinds]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))
