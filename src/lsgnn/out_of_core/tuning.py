"""`tune_stored`: search settings on the validation rows of a store, as `lsgnn.tune` does on a graph in memory.

The same studies on the same kind of file: resumable, and shared by as many processes as are started with it.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.out_of_core.labelled_run import labelled_graph, labelled_logits
from lsgnn.out_of_core.probing import draft_of, probed
from lsgnn.out_of_core.settings import require_suited
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.store_space import space_of_store
from lsgnn.out_of_core.training import parts_of, train_stored
from lsgnn.runs.defaults import Draft, chosen_metric, following
from lsgnn.train.metrics import Metric, displayed, measure, positive_class, utility
from lsgnn.tuning.choice import TOP, Tuning, choose
from lsgnn.tuning.database import place_of
from lsgnn.tuning.grid import best_cells
from lsgnn.tuning.limits import limits_of, nearest, require_inside, require_same_space
from lsgnn.tuning.study import OnTrial, open_study, search
from lsgnn.tuning.tuner import space_of
from lsgnn.zoo.lsgnn_space import SpaceName

THE_SPLIT = [0]  # a store has one


@dataclass(frozen=True, eq=False)
class StoredScorer:
    """Validation scores of settings on a store, as `lsgnn.tuning.scorer.Scorer` has them."""

    store: Store
    graph: Graph
    base: LSGNNConfig
    metric: Metric
    batch_size: int

    def scores(self, settings: dict[str, Any], splits: Sequence[int], seed: int) -> Iterator[float]:
        config, (train, val) = self.base.replace(**settings, seed=seed), parts_of(self.store)
        trained = train_stored(self.store, config, batch_size=self.batch_size)
        y, positive = self.graph.y, positive_class(self.graph.y[np.concatenate([train, val])])
        score = measure(self.metric, labelled_logits(self.store, config, [trained], val), y[val], positive)
        yield displayed(self.metric, utility(self.metric, score))


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
    on_trial: OnTrial | None = None,
) -> Tuning:
    """Tunes LSGNN on a store by its validation score; test nodes are not involved.

    Args:
        space: the paper's search space or the extended one, without what the store has settled; hops as far as it has.
        base: hyperparameters the space does not touch, by default those that `fit_stored` would choose.
        batch_size: rows of one optimiser step.
        trials, metric, keep_select_by, storage, grid, start, timeout, rescore, seed, on_trial: as in `lsgnn.tune`.
    """
    for setting, value in (("trials", trials), ("rescore", rescore)):
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
    suggest = space_of_store(space_of(space, settled.select_by), store, settled)
    limits = limits_of(suggest)
    require_inside(start, limits)
    scorer = StoredScorer(store, graph, settled, metric, batch_size)
    began, deadline = time.perf_counter(), time.monotonic() + timeout
    file = place_of(storage) if storage else None
    parts = [store.identity, settled.to_dict(), metric, seed, batch_size]
    decides = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    name = f"{graph.name}/lsgnn/{space}"
    study = open_study(name, file, decides=decides)
    require_same_space(study, limits)
    known = nearest(settled.to_dict(), limits)
    first = [known | dict(settings) for settings in start]
    if grid:
        look = partial(best_cells, scorer, open_study(f"{name}/grid", file, decides=decides), THE_SPLIT, seed)
        first += [known | cell for cell in look(deadline, file)]
    else:
        first.append(known)
    search(study, scorer, suggest, THE_SPLIT, trials, seed, on_trial, deadline, first, file)
    tuning = choose(study, scorer, THE_SPLIT, seed, rescore)
    seconds = study.user_attrs.get("seconds", 0.0) + time.perf_counter() - began
    study.set_user_attr("seconds", seconds)
    return replace(tuning, seconds=seconds)
