"""`lsgnn fit`, `predict` and `explain` where the graph is a store; under torchrun the first of the processes speaks."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsgnn.cli import given_settings, options
from lsgnn.cli.scores import score_lines
from lsgnn.cli.show import answer, answer_json, progress, say
from lsgnn.errors import InputError

if TYPE_CHECKING:
    from lsgnn.runs.explanation import Explanation


def refuse(**given: Any) -> None:
    """Raises if an option was used that has no meaning where the graph is a store."""
    for name, value in given.items():
        if value:
            option = name.replace("_", "-")
            raise InputError(f"--{option} is not for stores or arrays on disk: drop it, or pass a graph in memory")


def _check_predictions(path: Path | None) -> None:
    """A name without an ending is a folder of Parquet files."""
    if path is None or path.suffix:
        options.check_places((path, (".csv", ".parquet")))
        return
    from lsgnn.out_of_core.prediction_files import require_empty

    options.check_places((path, ()))
    require_empty(path.expanduser())


def fit_store(
    folder: str,
    out: Path | None,
    predictions: Path | None,
    report: Path | None,
    preset: str,
    changes: list[str],
    json: bool,
    spreadsheet_safe: bool = False,
    **how: Any,
) -> None:
    """Train on the rows of a store; alone, or as one of the processes that torchrun started."""
    options.check_places((out, ()), (report, (".html",)))
    _check_predictions(predictions)
    from lsgnn.out_of_core.fitting import fit_stored
    from lsgnn.out_of_core.store import Store
    from lsgnn.out_of_core.stored_run_files import require_place
    from lsgnn.out_of_core.world import joined_world

    if out is not None:
        require_place(out.expanduser())
        place = out.expanduser().resolve()
        how["resume"] = place.with_name(f".{place.name}.training")  # the same command goes on from it after a kill
    store = Store(folder)
    config = given_settings.settings_for_arrays(preset, changes, store.config)
    epochs, named = config.epochs * how["members"], given_settings.parse_settings(changes)
    base = None if preset == "default" else config
    what = f"training on {folder}"
    with joined_world() as world, progress(what, epochs, shown=world.is_first) as step:
        how |= {"on_stage": lambda stage: step(description=f"{what}, trying {stage}")}
        how |= {"on_epoch": lambda _: step(description=what, advance=1)}
        try:
            run = fit_stored(store, base, world=world, **how, **named)
        except InputError:
            if out is not None:
                with suppress(OSError):
                    how["resume"].rmdir()  # if nothing was begun
            raise
    if not world.is_first:
        return
    if out is not None:
        run.save(out)
        shutil.rmtree(how["resume"], ignore_errors=True)
    if predictions is not None:
        with progress(f"predicting {folder}", store.num_nodes) as step:
            safely: dict[str, Any] = dict(spreadsheet_safe=spreadsheet_safe)
            run.predict(store, predictions, on_chunk=lambda done: step(completed=done), **safely)
    if report is not None:
        from lsgnn.report import write_stored_run_page

        with progress(f"writing {report}", None):
            write_stored_run_page(run, store, report)
    if json:
        answer_json({"store": folder} | run.summary())
        return
    for note in run.notes:
        say(f"note: {note}")
    for line in score_lines(run, run.class_names):
        answer(line)
    seconds = sum(member.seconds for member in run.members)
    answer(f"best epoch {run.trained.best_epoch} of {len(run.trained.history)}; train {seconds:.2f} s")
    for what, path in (("run", out), ("predictions", predictions), ("report", report)):
        if path is not None:
            answer(f"{what} written to {path}")
    if world.size > 1:
        say(f"{world.size} processes trained together")


def predict_store(run: Path, folder: str, out: Path, json: bool, **how: Any) -> None:
    """Predictions of every node of a store."""
    _check_predictions(out)
    from lsgnn.out_of_core.store import Store
    from lsgnn.out_of_core.stored_run import StoredRun

    store, trained = Store(folder), StoredRun.load(run)
    with progress(f"predicting {folder}", store.num_nodes) as step:
        count = trained.predict(store, out, on_chunk=lambda done: step(completed=done), **how)
    if json:
        answer_json({"run": str(run), "out": str(out), "nodes": count})
    else:
        answer(f"{count} predictions written to {out}")


def explained(run: Path, folder: str | None, node: str, member: int | None) -> Explanation:
    """Why a node of a store is classified as it is."""
    from lsgnn.out_of_core.store import Store
    from lsgnn.out_of_core.stored_run import StoredRun

    if folder is None:
        raise InputError(f"{run} was trained on a store: name the store of the node, too")
    return StoredRun.load(run).explain(Store(folder), node, member)
