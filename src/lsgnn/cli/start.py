"""The first lines of the `lsgnn` executable: from here on Ctrl-C is one line, even while the rest is being imported."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

CODE = 130  # of a command that was stopped from the keyboard, as shells count
GOES_ON = {"tune": "--storage", "compare": "--store", "precompute": "--out"}  # what keeps its work


def run() -> NoReturn:
    """The `lsgnn` executable."""
    pressed = []

    def on_interrupt(*_: Any) -> None:
        pressed.append(True)
        raise KeyboardInterrupt

    # a command that was told to ignore Ctrl-C (by nohup, or in the background of a script) keeps ignoring it
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, on_interrupt)
    try:
        from lsgnn.cli.main import run as run_command

        run_command()
    except BaseException as error:  # an import that is interrupted may fail in any way
        if pressed and not (isinstance(error, SystemExit) and error.code in (None, 0, CODE)):
            stopped()
        raise
    sys.exit()


def stopped() -> NoReturn:
    """Says so and ends the process, at once if a thread still works: in compiled code it would not hear of it."""
    goes_on = "; the same command goes on where it stopped" if is_resumable(sys.argv[1:]) else ""
    with suppress(OSError, ValueError):  # nobody may be reading any more
        sys.stdout.flush()
        below = "\n" if sys.stderr.isatty() else ""  # the terminal has just written ^C into the line
        sys.stderr.write(f"{below}stopped{goes_on}\n")
        sys.stderr.flush()
    if threading.active_count() > 1:
        os._exit(CODE)
    # Interrupted code in a string (a namedtuple's, a dataclass's) leaves a mark by which Python later ends itself with
    # SIGINT instead of a code; the next code in a string takes it away.
    exec("")
    sys.exit(CODE)


def is_resumable(words: list[str]) -> bool:
    """True for a command that finds its finished work again when it is repeated."""
    command = next((word for word in words if not word.startswith("-")), "")
    return any(word.partition("=")[0] == GOES_ON.get(command) for word in words)
