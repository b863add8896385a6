"""What people see: lines and progress go to stderr, so that stdout holds nothing but the answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lsgnn.files import plain

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table


def say(line: str) -> None:
    """One line for the person at the terminal."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def answer(text: str) -> None:
    """The result of the command."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer_json(document: Any) -> None:
    answer(json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False))


def answer_table(table: Table) -> None:
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else 120).print(table)


@contextmanager
def progress(what: str, total: int | None, shown: bool = True) -> Iterator[Callable[..., None]]:
    """A bar that the yielded function moves one step on, or to `completed` of `total` if told so."""
    with _bar(shown) as bar:
        task = bar.add_task(what, total=total)

        def step(*_: Any, **place: int) -> None:
            if place:
                bar.update(task, **place)  # type: ignore[arg-type]
            else:
                bar.advance(task)

        yield step


def _bar(shown: bool = True) -> Progress:
    """Shown only to people: where stderr is a terminal."""
    from rich import progress as rich_progress
    from rich.console import Console

    console = Console(stderr=True)
    return rich_progress.Progress(
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (shown and console.is_terminal),
    )


@contextmanager
def trial_progress(what: str, trials: int) -> Iterator[Callable[[Any], None]]:
    """The same for a search; the yielded function is told the study and shows its best value so far."""
    from optuna.trial import TrialState

    with _bar() as bar:
        task = bar.add_task(what, total=trials)

        def on_trial(study: Any) -> None:
            done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
            best = max((t.value for t in done if t.value is not None), default=float("nan"))
            bar.update(task, completed=len(done), description=f"{what}, best validation {best:.2f}")

        yield on_trial
