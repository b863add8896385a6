"""Several threads in one training: every one of them runs the whole loop, and they meet between its stages.

A stage is a number of chunks that have nothing to do with each other: tiles of columns, blocks of rows. A thread claims
the next chunk that is left, so that no thread waits for more than one. How work is cut into chunks depends on its size,
never on the number of threads, and sums over chunks are added up in the order of the chunks: the bits of a result do
not depend on who did what.

    chunk = claim(team, TILES)
    while chunk < tiles:
        …
        chunk = claim(team, TILES)
    meet(team)      # nobody goes on before all chunks are done; the claims start anew
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.span import address
from lsgnn.train.fused.vector import I32, intrinsic

I64 = ir.IntType(64)
YIELD = "sched_yield" if os.name == "posix" else "SwitchToThread"
LINE = 8  # whole numbers in a cache line: those that threads fight for lie apart
ARRIVED, GENERATION, STOP, EPOCHS_DONE, FIRST_CLAIM = 0, LINE, 2 * LINE, 3 * LINE, 4 * LINE
SPINS = 300  # looks at the others, some 10 µs, before the core is offered to somebody else

TILES, ROWS, SIMILARITIES, NODES, WEIGHTS = range(5)  # what chunks are claimed of; each kind at most once per stage
KINDS = 5


class Team(NamedTuple):
    """The threads of one training; `shared` holds their common counters, and what Python says and asks meanwhile."""

    number: int  # of this thread, from 0
    threads: int
    shared: NDArray[np.int64]


def make_team(threads: int) -> list[Team]:
    """One `Team` for each thread."""
    shared = np.zeros(FIRST_CLAIM + KINDS * LINE, np.int64)
    return [Team(number, threads, shared) for number in range(threads)]


def _pointer(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return address(context, builder, sig.args[0], arguments[0], arguments[1])


def call_void(builder: Any, name: str, result: Any) -> None:
    """Calls a function without arguments, whatever it returns."""
    builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, []), name), [])


@intrinsic
def fetch_add(typing: Any, array: Any, at: Any) -> Any:
    """array[at]++ for all threads together; returns what was there before."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return builder.atomic_rmw("add", _pointer(context, builder, sig, arguments), ir.Constant(I64, 1), "seq_cst")

    return types.int64(array, types.int64), codegen


@intrinsic
def load_shared(typing: Any, array: Any, at: Any) -> Any:
    """array[at] as it is now; what another thread wrote before `store_shared` is visible after it."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return builder.load_atomic(_pointer(context, builder, sig, arguments), "seq_cst", 8)

    return types.int64(array, types.int64), codegen


@intrinsic
def store_shared(typing: Any, array: Any, at: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        builder.store_atomic(arguments[2], _pointer(context, builder, sig, arguments), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), codegen


@intrinsic
def pause(typing: Any) -> Any:
    """A moment's rest for the core that waits."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        if builder.module.triple.startswith(("x86_64", "i686")):
            call_void(builder, "llvm.x86.sse2.pause", ir.VoidType())
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def offer_core(typing: Any) -> Any:
    """Lets another thread or process have this core, if one wants it."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        call_void(builder, YIELD, I32)
        return context.get_dummy_value()

    return types.void(), codegen


@inlined
def claim(team: Team, kind: int) -> Any:
    """The number of the next chunk of this kind; there may be no such chunk any more."""
    if team.threads == 1:
        at = FIRST_CLAIM + kind * LINE
        team.shared[at] += 1
        return team.shared[at] - 1
    return fetch_add(team.shared, FIRST_CLAIM + kind * LINE)


@inlined
def bounds(chunk: int, chunks: int, size: int) -> tuple[int, int]:
    """From where to where a chunk reaches in `size` things."""
    return chunk * size // chunks, (chunk + 1) * size // chunks


@kernel
def meet(team: Team) -> None:
    """Waits until all threads are here."""
    shared = team.shared
    generation = load_shared(shared, GENERATION)
    if team.threads == 1 or fetch_add(shared, ARRIVED) == team.threads - 1:
        for kind in range(KINDS):
            shared[FIRST_CLAIM + kind * LINE] = 0
        shared[ARRIVED] = 0
        store_shared(shared, GENERATION, generation + 1)
        return
    spins = 0
    while load_shared(shared, GENERATION) == generation:
        spins += 1
        if spins < SPINS:
            pause()
        else:
            offer_core()
