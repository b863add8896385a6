"""`tune_stored`: search settings on the validation rows of a store, as `lsgnn.tune` does on a graph in memory.

The same studies on the same kind of file: resumable, and shared by as many processes as are started with it.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.out_of_core.executors import Executor
from lsgnn.out_of_core.labelled_run import labelled_graph
from lsgnn.out_of_core.probing import draft_of, probed
from lsgnn.out_of_core.settings import require_suited
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_search import THE_SPLIT, StoredSearch, run_alone
from lsgnn.out_of_core.watched_study import watched
from lsgnn.runs.defaults import Draft, chosen_metric, following
from lsgnn.train.metrics import Metric
from lsgnn.tuning.choice import TOP, Tuning, choose
from lsgnn.tuning.database import place_of
from lsgnn.tuning.study import OnTrial, open_study
from lsgnn.zoo.lsgnn_space import SpaceName


def tune_stored(
    store: Store,
    *,
    space: SpaceName = "paper",
    trials: int = 50,
    base: LSGNNConfig | Draft | None = None,
    metric: Metric | None = None,
    keep_select_by: bool = False,
    storage: str | Path | None = None,
    grid: bool = True,
    start: Sequence[Mapping[str, Any]] = (),
    timeout: float = math.inf,
    rescore: int = TOP,
    seed: int = 0,
    batch_size: int = 8192,
    executor: Executor | None = None,
    workers: int = 2,
    on_trial: OnTrial | None = None,
) -> Tuning:
    """Tunes LSGNN on a store by its validation score; test nodes are not involved.

    Args:
        space: the paper's search space or the extended one, without what the store has settled; hops as far as it has.
        base: hyperparameters the space does not touch, by default those that `fit_stored` would choose.
        batch_size: rows of one optimiser step.
        executor: who searches: this process (None), or `workers` tasks of a pool (`lsgnn.out_of_core.processes`) or of
            a Ray cluster (`lsgnn.out_of_core.ray`), which share the study in `storage`.
        trials, metric, keep_select_by, storage, grid, start, timeout, rescore, seed, on_trial: as in `lsgnn.tune`.
    """
    for setting, value in (("trials", trials), ("rescore", rescore), ("workers", workers)):
        if value < 1:
            raise InputError(f"{setting}={value} is out of range: it must be at least 1")
    if not timeout > 0:
        raise InputError(f"timeout={timeout} is out of range: it must be a positive number of seconds")
    graph, split = labelled_graph(store)
    follows = not keep_select_by and (base is None or metric is not None)
    drafted = Draft(base) if isinstance(base, LSGNNConfig) else base or draft_of(store)
    metric, _ = chosen_metric(graph, [split], metric)
    drafted = following(drafted, metric) if follows else drafted
    require_suited(store, drafted.config)
    settled, _ = probed(store, graph, drafted, metric, batch_size=batch_size)
    began, name = time.perf_counter(), f"{graph.name}/lsgnn/{space}"
    parts = [store.identity, settled.to_dict(), metric, seed, batch_size]
    how = StoredSearch(
        folder=store.folder.resolve(),
        settled=settled,
        metric=metric,
        space=space,
        batch_size=batch_size,
        seed=seed,
        trials=trials,
        grid=grid,
        start=tuple(dict(settings) for settings in start),
        name=name,
        decides=hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest(),
        place="",
    )
    if executor is not None and not storage:
        raise InputError("workers of a search meet in a file: pass storage, where all of them can reach it")
    file = place_of(storage) if storage else None
    how.require_same_space(file)
    if executor is None:
        study = how.run(file, timeout, on_trial)
    else:
        call = secrets.token_hex(4)
        tasks = [(replace(how, place=f"{call}/{number}"), file, timeout) for number in range(workers)]
        study = open_study(name, file, decides=how.decides)
        with watched(study, on_trial):
            for _ in executor(run_alone, tasks):
                pass
    tuning = choose(study, how.scorer, THE_SPLIT, seed, rescore)
    seconds = study.user_attrs.get("seconds", 0.0) + time.perf_counter() - began
    study.set_user_attr("seconds", seconds)
    return replace(tuning, seconds=seconds)
