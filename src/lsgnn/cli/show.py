"""What people see: lines and progress go to stderr, so that stdout holds nothing but the answer.

Everything that a command prints goes through here, where control characters of other people's text are made visible.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from lsgnn.cli.characters import visible, visible_json
from lsgnn.cli.progress_lines import every, lines_of
from lsgnn.files import plain

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table

SECOND = 1.0


def say(line: str) -> None:
    """One line for the person at the terminal."""
    sys.stderr.write(visible(line) + "\n")
    sys.stderr.flush()


def answer(line: str) -> None:
    """One line of the result of the command."""
    sys.stdout.write(visible(line) + "\n")
    sys.stdout.flush()


def answer_json(document: Any) -> None:
    """One JSON document, with escapes for what the terminal has no letters for."""
    text = json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(plain(document), indent=2, allow_nan=False)
    sys.stdout.write(visible_json(text) + "\n")
    sys.stdout.flush()


def answer_table(table: Table) -> None:
    from rich.console import Console
    from rich.segment import Segment, Segments

    console = Console(width=None if sys.stdout.isatty() else 120)
    lines = console.render_lines(table, pad=False)
    # rich's own colours are not in the text of the cells, so that whatever steers the terminal there is someone else's
    shown = ([Segment(visible(part.text), part.style) for part in line] + [Segment.line()] for line in lines)
    console.print(Segments(part for line in shown for part in line), end="")


@contextmanager
def progress(what: str, total: int | None, shown: bool = True) -> Iterator[Callable[..., None]]:
    """A bar that the yielded function moves one step on, or to `completed` of `total` if told so."""
    with _bar(shown) as bar:
        task = bar.add_task(visible(what), total=total)

        def step(*_: Any, **place: Any) -> None:
            if place:
                bar.update(task, **place)
            else:
                bar.advance(task)

        yield step


@contextmanager
def _bar(shown: bool = True) -> Iterator[Progress]:
    """A bar where stderr is a terminal; elsewhere a line every ten seconds."""
    from rich import progress as rich_progress
    from rich.console import Console

    console = Console(stderr=True)
    drawn = shown and console.is_terminal
    bar = rich_progress.Progress(
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not drawn,
    )
    # before version 14, rich ends a bar that is not drawn with an empty line
    with bar if drawn else nullcontext(), lines_of(bar, say, shown and not drawn):
        yield bar


@contextmanager
def trial_progress(what: str, trials: int) -> Iterator[Callable[[Any], None]]:
    """The same for a search; the yielded function is told the study and shows its best value so far."""
    with model_trial_progress(trials) as on_trial:
        yield partial(on_trial, what)


@contextmanager
def model_trial_progress(trials: int) -> Iterator[Callable[[str, Any], None]]:
    """The same for one search after the other: the yielded function is told what is searched, and the study."""
    with _bar(trials > 0) as bar:
        tasks: dict[str, Any] = {}

        def on_trial(what: str, study: Any) -> None:
            from optuna.trial import TrialState

            task = tasks[what] if what in tasks else tasks.setdefault(what, bar.add_task(visible(what), total=trials))
            done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
            best = max((t.value for t in done if t.value is not None), default=float("nan"))
            bar.update(task, completed=len(done), description=f"{visible(what)}, best validation {best:.2f}")

        yield on_trial


@contextmanager
def search_progress(what: str, trials: int | None, minutes: float | None) -> Iterator[Callable[[int, Any], None]]:
    """The same for a search over models; the yielded function is told how many trials there are, and all of them.

    With a budget of minutes the bar shows seconds, which pass by themselves, else trials.
    """
    what, seconds = visible(what), 60 * (minutes or 0)
    with _bar() as bar:
        task = bar.add_task(f"{what}, settings of LSGNN first", total=trials if minutes is None else round(seconds))

        def on_trial(count: int, done: Any) -> None:
            best = max(done, key=lambda trial: trial.score)
            bar.update(task, description=f"{what}, {count} trials, best {best.model} {best.score:.3f}")
            if minutes is None:
                bar.update(task, completed=count)

        def on_second() -> None:
            passed = min(bar.tasks[0].elapsed or 0, seconds - 1)  # it is not over before it is over
            bar.update(task, completed=max(0, passed))

        with nullcontext() if minutes is None else every(SECOND, on_second):
            yield on_trial
