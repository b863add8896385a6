"""`lsgnn tune` where the graph is a store."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from lsgnn.cli import given_settings
from lsgnn.cli.scores import tuning_lines
from lsgnn.cli.show import answer, answer_json, say, trial_progress
from lsgnn.errors import InputError

if TYPE_CHECKING:
    from lsgnn.out_of_core.store import Store
    from lsgnn.tuning import Tuning


def tune_store(
    folder: str,
    preset: str,
    changes: list[str],
    metric: str | None,
    members: int,
    test: bool,
    export: Path | None,
    report: Path | None,
    out: Path | None,
    json: bool,
    minutes: float | None,
    jobs: int | None,
    ray: str | None,
    storage: Path | None,
    **how: Any,
) -> None:
    """Search on the validation rows of a store; its test rows are read once, at the end, if at all."""
    if ray is not None and storage is None:
        raise InputError("--ray needs a study that all machines can reach: pass --storage FILE in a folder they share")
    from lsgnn.files import write_json, write_text
    from lsgnn.out_of_core.fitting import fit_stored
    from lsgnn.out_of_core.labelled_run import labelled_graph
    from lsgnn.out_of_core.probing import draft_of
    from lsgnn.out_of_core.store import Store
    from lsgnn.out_of_core.tuning import tune_stored
    from lsgnn.runs.defaults import Draft
    from lsgnn.train.metrics import about, shown

    store = Store(folder)
    settings = given_settings.settings_for_arrays(preset, changes, store.config)
    drafted = (
        draft_of(store).replace(**given_settings.parse_settings(changes)) if preset == "default" else Draft(settings)
    )
    graph, split = labelled_graph(store)
    measure, drafted, notes = given_settings.metric_and_settings(graph, [split], metric, drafted, preset, changes)
    for note in notes:
        say(f"note: {note}")
    with trial_progress(f"tuning on {folder}", how["trials"]) as on_trial:
        timeout = math.inf if minutes is None else 60 * minutes
        searched: dict[str, Any] = dict(base=drafted, metric=measure, keep_select_by=True, timeout=timeout)
        with shared_study(storage, jobs, ray) as (file, pool):
            tuning = tune_stored(store, on_trial=on_trial, storage=file, **pool, **searched, **how)
    document: dict[str, Any] = {"store": folder, "space": how["space"], "metric": measure} | tuning.to_dict()
    if test:
        run = fit_stored(store, tuning.config, members=members, metric=measure, batch_size=how["batch_size"])
        document["test"] = {name: value for name, value in run.metrics.items() if name.startswith("test_")}
    if export is not None:
        write_text(export, f"# chosen by `lsgnn tune` on validation rows of a store\n{tuning.config.to_toml()}")
    if report is not None:
        from lsgnn.report import write_tuning_page

        about_it: dict[str, Any] = dict(dataset=graph.name, model="lsgnn", metric=measure, storage=storage)
        write_tuning_page(tuning, report, **about_it, command=command_that_fits_again(folder, store, tuning))
    if out is not None:
        write_json(out, document)
    if json:
        answer_json(document)
        return
    for line in tuning_lines(tuning, measure):
        answer(line)
    if test and f"test_{measure}" in run.metrics:
        answer(f"test {about(measure).title} {shown(measure, run.metrics[f'test_{measure}'])}")
    for what, path in (("preset", export), ("report", report)):
        if path is not None:
            say(f"{what} written to {path}")


@contextmanager
def shared_study(storage: Path | None, jobs: int | None, ray: str | None) -> Iterator[tuple[Path | None, Any]]:
    """The file of the study and who works on it; processes without a file of the user's meet in a passing one."""
    from lsgnn.out_of_core.executors import processes
    from lsgnn.out_of_core.executors import ray as ray_cluster

    if ray is not None:
        yield storage, dict(executor=ray_cluster(ray), workers=jobs or 2)
    elif jobs is None or jobs == 1:
        yield storage, {}
    else:
        with TemporaryDirectory(prefix="lsgnn-") as folder:
            yield storage or Path(folder) / "study.db", dict(executor=processes(jobs), workers=jobs)


def command_that_fits_again(folder: str, store: Store, tuning: Tuning) -> str:
    """The command that trains what was chosen: all that differs from the store, and all that `fit` would try."""
    from lsgnn.benchmark.fit_again import command_that_fits
    from lsgnn.out_of_core.probing import OPEN

    chosen, made = tuning.config.to_dict(), store.config.to_dict()
    changes = {name: value for name, value in chosen.items() if name in OPEN or value != made[name]}
    return command_that_fits(shlex.quote(folder), "lsgnn", changes)
