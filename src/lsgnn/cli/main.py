"""`lsgnn`: the command line. One thin file per command; this one joins them and turns bad input into one line."""

from __future__ import annotations

import atexit
import errno
import gc
import sys
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from lsgnn.cli.characters import show_what_can_be_shown
from lsgnn.cli.compare import compare
from lsgnn.cli.compare_runs import compare_runs
from lsgnn.cli.datasets import datasets
from lsgnn.cli.demo import demo
from lsgnn.cli.diagnose import diagnose
from lsgnn.cli.evaluate import evaluate
from lsgnn.cli.explain import explain
from lsgnn.cli.export import export
from lsgnn.cli.fit import fit
from lsgnn.cli.models import models
from lsgnn.cli.precompute import precompute
from lsgnn.cli.predict import predict
from lsgnn.cli.serve import serve
from lsgnn.cli.show import say
from lsgnn.cli.start import CODE as INTERRUPTED
from lsgnn.cli.start import stopped
from lsgnn.cli.tune import tune
from lsgnn.cli.verify import verify
from lsgnn.errors import InputError, LSGNNWarning
from lsgnn.files import name_too_long
from lsgnn.memory import LOWER_EITHER

UsageError: Any = typer.BadParameter.__mro__[1]  # click's, or that of the copy of click which newer typers carry

TORCH_OUT_OF_MEMORY = ("can't allocate memory", "out of memory", "Storage size calculation overflowed")

app = typer.Typer(
    help="Classify the nodes of a graph when you do not know whether neighbours are alike.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (
    *(demo, diagnose, fit, predict, serve, explain, evaluate, compare, compare_runs, tune, export, precompute, verify),
)
for command in (*COMMANDS, datasets, models):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        from lsgnn import __version__

        typer.echo(f"lsgnn {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show it and exit."),
) -> None:
    pass


def run(application: typer.Typer = app) -> None:
    """The `lsgnn` executable: bad input is one line and exit code 2, Ctrl-C is 130, `kill` 143, never a traceback.

    Args:
        application: another command line that is to behave alike, such as the repository's `python -m paper`.
    """
    warnings.showwarning = _shown_once()
    show_what_can_be_shown()
    gc.set_threshold(10_000)  # libraries that are imported leave little garbage: looking for it takes a while,
    atexit.register(gc.freeze)  # and half a second once more at the very end
    try:
        code = application(standalone_mode=False)  # its own way of showing errors is a box of five lines
    except InputError as error:
        _stop(str(error))
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # `lsgnn` alone
            error.show()
            sys.exit(error.exit_code)
        command = error.ctx.command_path if error.ctx else "lsgnn"
        _stop(f"{error.format_message().rstrip('.')}: see `{command} --help`")
    except (KeyboardInterrupt, typer.Abort):
        stopped()
    except BrokenPipeError:  # the reader of our output (head, less) went away
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:  # a full disk, a folder that may not be written to
        if error.errno == errno.ENAMETOOLONG:
            _stop(str(name_too_long(error.filename or "")))
        _stop(
            f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}; nothing was left half-written"
        )
    except (MemoryError, RuntimeError) as error:
        if not (isinstance(error, MemoryError) or any(words in str(error) for words in TORCH_OUT_OF_MEMORY)):
            raise
        _stop(f"there is not enough memory ({str(error)[:200] or 'it is full'}): {LOWER_EITHER}")
    if code == INTERRUPTED:  # that is what some typers make of Ctrl-C
        stopped()
    sys.exit(code if isinstance(code, int) else 0)


def _stop(reason: str) -> NoReturn:
    say(f"error: {' '.join(reason.split())}")
    sys.exit(2)


def _shown_once() -> Callable[..., None]:
    """What shows our own warnings, each of them once: several steps of a command may look at the same graph."""
    told = set[str]()

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, LSGNNWarning) and str(message) not in told:
            told.add(str(message))
            say(f"note: {message}")

    return show
