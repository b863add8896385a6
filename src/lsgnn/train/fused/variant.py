"""Which form of the engine is compiled, and by whom: half of it here, half by a process beside this one.

A variant is what the kernels know when they are compiled: the vector width, the reduction, whether there is an
adjacency embedding. Its machine code is in two halves, the loop (`epochs.run`) and the stages over rows, about equally
long to compile; Numba compiles one thing at a time, so a second core takes a second process:

    python -m lsgnn.train.fused.variant narrow --width 16 --half rows
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from numba import types

from lsgnn.compiled import address_of, is_being_compiled, is_compiled
from lsgnn.kernel_cache import kernel_folder
from lsgnn.train.fused.dense import register_rows
from lsgnn.train.fused.epochs import Stages, run
from lsgnn.train.fused.record import RecordType
from lsgnn.train.fused.row_stages import evaluate, train_rows
from lsgnn.train.fused.structs import (
    Hyper,
    Links,
    Log,
    Narrow,
    Panels,
    ScoredRows,
    Scratch,
    Shape,
    Small,
    State,
    Weights,
    Work,
)
from lsgnn.train.fused.team import Team
from lsgnn.train.fused.vector import WidthType

HALVES = ("loop", "rows")
_ONE_AT_A_TIME = threading.Lock()  # threads that want the same variant would all say that they compile it


@dataclass(frozen=True)
class Variant:
    dense: bool  # the reduction; else narrow
    links: bool
    width: int  # of vectors

    def parts(self, half: str) -> list[tuple[Any, tuple[Any, ...]]]:
        """The entry points of one half, with the types of their arguments."""
        H = RecordType(Panels, tuple(map(len, register_rows()))) if self.dense else types.none
        narrow = types.none if self.dense else _record(Narrow)
        links = _record(Links) if self.links else types.none
        rows, p, q, work, s, shape, team = map(_record, (ScoredRows, Weights, Small, Work, Scratch, Shape, Team))
        hyper, w, wide = _record(Hyper), WidthType(self.width), WidthType(2 * self.width)
        if half == "rows":
            read = (H, links, rows, p, q)
            step = (train_rows, (*read, q, work, s, hyper, types.int64, shape, team, w))
            return [(evaluate, (*read, work, s, shape, team, w)), step]
        before = (types.int64, _record(Stages), narrow, H, links, rows, p, q, q)
        return [(run, (*before, _record(State), work, s, hyper, _record(Log), shape, team, w, wide))]

    def is_compiled(self, half: str) -> bool:
        return all(is_compiled(*part) for part in self.parts(half))

    def is_missing(self, half: str) -> bool:
        """Not compiled, and nobody is at it."""
        return any(not is_compiled(*part) and not is_being_compiled(*part) for part in self.parts(half))

    def words(self) -> list[str]:
        """For the command line."""
        return ["dense" if self.dense else "narrow", "--width", str(self.width), *["--links"] * self.links]


def _record(form: type) -> RecordType:
    return RecordType(form, ())


def prepared(variant: Variant) -> Stages:
    """Loads a variant, and compiles first what nobody has compiled yet, with two cores if there are two."""
    with _ONE_AT_A_TIME:
        return _loaded(variant)


@cache
def _loaded(variant: Variant) -> Stages:
    helper = None
    if not all(map(variant.is_compiled, HALVES)):
        log = logging.getLogger(__name__.rpartition(".")[0])
        log.warning("compiling the CPU engine, some ten seconds (once per machine) …")
        if (os.cpu_count() or 1) > 1 and variant.is_missing("rows"):
            helper = begin(variant, ["rows"])
    with _no_garbage_collection():
        for entry, kinds in variant.parts("loop"):
            address_of(entry, kinds)
        if helper is not None:
            helper.wait()  # what it could not do is done here
        return Stages(*(address_of(entry, kinds) for entry, kinds in variant.parts("rows")))


def begin(variant: Variant, halves: Sequence[str] = HALVES) -> subprocess.Popen[bytes] | None:
    """Starts to compile in another process, which leaves the machine code in the cache; None where it cannot."""
    if kernel_folder() is None or not sys.executable:
        return None
    command = [sys.executable, "-P", "-m", __name__, *variant.words()]  # -P: files here are no modules
    with suppress(OSError):
        return subprocess.Popen(
            [*command, "--half", *halves],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return None


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Compiling makes a million objects that live for seconds: looking for garbage among them takes a tenth."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reduction", choices=["narrow", "dense"])
    parser.add_argument("--width", type=int, choices=[8, 16], default=16)
    parser.add_argument("--links", action="store_true", help="with an adjacency embedding")
    parser.add_argument("--half", nargs="+", choices=HALVES, default=list(HALVES))
    args = parser.parse_args()
    variant = Variant(args.reduction == "dense", args.links, args.width)
    with _no_garbage_collection():
        for half in args.half:
            for entry, kinds in variant.parts(half):
                entry.compile(kinds)


if __name__ == "__main__":
    main()
