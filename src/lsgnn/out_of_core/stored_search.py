"""One search on a store, as a value: any process that sees the store and the study's file can take part in it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import torch

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Graph
from lsgnn.out_of_core.labelled_run import labelled_graph, labelled_logits
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.store_space import space_of_store
from lsgnn.out_of_core.training import parts_of, train_stored
from lsgnn.train.metrics import Metric, displayed, measure, positive_class, utility
from lsgnn.tuning.grid import best_cells
from lsgnn.tuning.limits import limits_of, nearest, require_inside, require_same_space
from lsgnn.tuning.study import OnTrial, open_study, search
from lsgnn.tuning.successor import take_place
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


@dataclass(frozen=True)
class StoredSearch:
    """What is searched, where and how; the arguments of `lsgnn.out_of_core.tune_stored` once nothing is open.

    Args:
        settled: hyperparameters that the space does not touch.
        name: of the study.
        decides: stands for everything but the searched settings that decides a score.
        place: of a worker in a pool; empty if it is alone.
    """

    folder: Path
    settled: LSGNNConfig
    metric: Metric
    space: SpaceName
    batch_size: int
    seed: int
    trials: int
    grid: bool
    start: tuple[Mapping[str, Any], ...]
    name: str
    decides: str
    place: str

    @cached_property
    def scorer(self) -> StoredScorer:
        store = Store(self.folder)
        return StoredScorer(store, labelled_graph(store)[0], self.settled, self.metric, self.batch_size)

    @cached_property
    def suggest(self) -> Any:
        return space_of_store(space_of(self.space, self.settled.select_by), self.scorer.store, self.settled)

    def require_same_space(self, file: Path | None) -> None:
        """Raises if settings to start from are not in the space, or the study in the file has another one."""
        limits = limits_of(self.suggest)
        require_inside(self.start, limits)
        require_same_space(open_study(self.name, file, decides=self.decides), limits)

    def run(self, file: Path | None, timeout: float = math.inf, on_trial: OnTrial | None = None) -> optuna.Study:
        """Takes part until all trials are finished, or the time is up."""
        deadline = time.monotonic() + timeout
        study = open_study(self.name, file, decides=self.decides)
        take_place(study, file, self.place)
        known = nearest(self.settled.to_dict(), limits_of(self.suggest))
        first = [known | dict(settings) for settings in self.start]
        if self.grid:
            cells = open_study(f"{self.name}/grid", file, decides=self.decides)
            take_place(cells, file, self.place)
            look = partial(best_cells, self.scorer, cells, THE_SPLIT, self.seed)
            first += [known | cell for cell in look(deadline, file)]
        else:
            first.append(known)
        search(study, self.scorer, self.suggest, THE_SPLIT, self.trials, self.seed, on_trial, deadline, first, file)
        return study


def run_alone(how: StoredSearch, file: Path, timeout: float) -> None:
    """What each worker of a pool does, on one core: there are as many of them as there is to do."""
    torch.set_num_threads(1)
    how.run(file, timeout)
