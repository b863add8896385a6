"""The first lines of the `lsgnn` executable: from here on Ctrl-C and `kill` are one line, even during imports."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

CODE = 130  # of a command that was stopped from the keyboard, as shells count
GOES_ON = {"tune": "--storage", "compare": "--store", "precompute": "--out"}  # what keeps its work


AGAIN_SECONDS = 0.01


class Stop:
    """What Ctrl-C and `kill` do: the command tidies up and ends; remembers by which of them."""

    code = 0  # of a process that was stopped: 130 by SIGINT, 143 by SIGTERM

    def __call__(self, number: int, frame: Any) -> None:
        self.code = 128 + number
        raise KeyboardInterrupt

    def again(self, number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    def unraised(self, lost: Any) -> None:
        """Python drops what is raised where nobody can catch it, in a callback of an import, say: a moment later the
        same is raised elsewhere."""
        if self.code and lost.exc_type is KeyboardInterrupt and hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self.again)
            signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
        else:
            sys.__unraisablehook__(lost)


def run() -> NoReturn:
    """The `lsgnn` executable."""
    stop = heed_signals()
    try:
        from lsgnn.cli.main import run as run_command

        run_command()
    except BaseException as error:  # an import that is interrupted may fail in any way
        if stop.code and not (isinstance(error, SystemExit) and error.code in (None, 0, stop.code)):
            stopped()
        raise
    sys.exit()


def heed_signals() -> Stop:
    """A command that was told to ignore them (by nohup, or in the background of a script) keeps ignoring them."""
    stop = Stop()
    for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is default:
            signal.signal(number, stop)
    sys.unraisablehook = stop.unraised
    return stop


def stopped() -> NoReturn:
    """Says so and ends the process, at once if a thread still works: in compiled code it would not hear of it."""
    goes_on = "; the same command goes on where it stopped" if is_resumable(sys.argv[1:]) else ""
    with suppress(OSError, ValueError):  # nobody may be reading any more
        sys.stdout.flush()
        below = "\n" if sys.stderr.isatty() else ""  # the terminal has just written ^C into the line
        sys.stderr.write(f"{below}stopped{goes_on}\n")
        sys.stderr.flush()
    code = getattr(signal.getsignal(signal.SIGTERM), "code", 0) or CODE
    if threading.active_count() > 1:
        os._exit(code)
    # Interrupted code in a string (a namedtuple's, a dataclass's) leaves a mark by which Python later ends itself with
    # SIGINT instead of a code; the next code in a string takes it away.
    exec("")
    sys.exit(code)


def is_resumable(words: list[str]) -> bool:
    """True for a command that finds its finished work again when it is repeated."""
    command = next((word for word in words if not word.startswith("-")), "")
    return any(word.partition("=")[0] == GOES_ON.get(command) for word in words)
