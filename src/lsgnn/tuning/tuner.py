"""`tune`: search settings on validation nodes, re-score the best with fresh seeds, choose one. Test is not involved."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from lsgnn import zoo
from lsgnn.config import LSGNNConfig, SelectBy, TrainingConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.digest import digest_of_graph, digest_of_split
from lsgnn.graph.graph import Graph
from lsgnn.graph.split_checks import check_split, default_splits, split_numbers
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.defaults import Draft, as_draft, chosen_metric, following
from lsgnn.runs.probe import resolved
from lsgnn.train.engine import Engine
from lsgnn.train.metrics import Metric, about, judging_nodes
from lsgnn.tuning.choice import TOP, Tuning, choose
from lsgnn.tuning.database import place_of
from lsgnn.tuning.grid import best_cells
from lsgnn.tuning.limits import limits_of, nearest, require_inside, require_same_space
from lsgnn.tuning.pruning import HopelessPruner
from lsgnn.tuning.scorer import Scorer
from lsgnn.tuning.study import OnTrial, open_study, search
from lsgnn.zoo.lsgnn_space import SPACES, Space, SpaceName, extended_space
from lsgnn.zoo.prepared import Prepared

PROBED = 3  # splits whose validation nodes choose what `base` leaves open


def tune(
    graph: Any,
    *,
    model: str = "lsgnn",
    space: SpaceName = "paper",
    trials: int = 200,
    base: TrainingConfig | Draft | None = None,
    splits: Splits | None = None,
    which: Sequence[int] | None = None,
    metric: Metric | None = None,
    keep_select_by: bool = False,
    storage: str | Path | None = None,
    prune: bool = True,
    grid: bool = True,
    start: Sequence[Mapping[str, Any]] = (),
    timeout: float = math.inf,
    rescore: int = TOP,
    seed: int = 0,
    engine: Engine = "auto",
    workers: int = 2,
    on_trial: OnTrial | None = None,
    prepared: Prepared | None = None,
) -> Tuning:
    """Tunes a model on a graph by mean validation score over its splits.

    Args:
        graph: anything `lsgnn.as_graph` understands.
        model: LSGNN, or any model of the zoo with its own space.
        space: for LSGNN, the paper's search space or the extended one.
        trials: how many configurations to try (for LSGNN after the grid of all 36 pairs of β and γ, if `grid`).
        base: hyperparameters the space does not touch, by default those that `fit` would choose; the others are the
            first that are tried, as near as the space has them.
        splits: splits to use instead of the graph's own; `which` picks some of them.
        metric: what to improve on the validation nodes, and what epochs are selected by; by default as in `lsgnn.fit`.
        keep_select_by: let epochs be selected as `base` says, though the metric is another (without it a `base` keeps
            its rule only where no metric is named).
        storage: database file. A search that was stopped or killed goes on from it and ends with the same choice as one
            that was not, with any number of `workers`. Processes may share it, also from its first moment on; then the
            order in which their trials end decides what is drawn, which no two searches have in common.
        prune: stop a trial when its first splits are clearly worse than those of the best one (`HopelessPruner`; not
            for the log loss).
        start: settings to try first, over `base`, such as those that suited a similar graph; names of the space only.
        timeout: seconds after which no further trial is begun (re-scoring the best comes on top); the next call goes
            on, if there is a `storage` (to the same choice, unless time ran out in the first look: the trials that come
            after it start from the cells it had seen).
        rescore: how many of the best settings are scored again with fresh seeds (the better half of them twice) before
            one is chosen: fewer where a training run is long, but one alone is chosen by luck.
        seed: of the search; training runs take a seed of their own on each split, or settings would be preferred that
            are lucky with one seed's first weights on all splits at once. Re-scoring uses further seeds.
        on_trial: called with the study after every trial.
        prepared: what is prepared of this very graph already, to be shared with other calls.
    """
    for setting, value in (("trials", trials), ("rescore", rescore), ("workers", workers)):
        if value < 1:
            raise InputError(f"{setting}={value} is out of range: it must be at least 1")
    if not timeout > 0:
        raise InputError(f"timeout={timeout} is out of range: it must be a positive number of seconds")
    graph, zoo_model = as_graph(graph), zoo.get(model)
    follows = not keep_select_by and (base is None or metric is not None)
    drafted = as_draft(graph, zoo_model, base)
    splits = default_splits(graph, splits)
    numbers = split_numbers(splits, which)
    for s in numbers:
        check_split(graph, splits[s])
    zoo_model.require_engine(engine)
    metric, _ = chosen_metric(graph, [splits[s] for s in numbers], metric)
    drafted = following(drafted, metric) if follows else drafted
    if not zoo_model.tunable:
        raise InputError(f"{model} has no settings to tune: choose another model")
    if space != "paper" and zoo_model.name != "lsgnn":
        raise InputError(f"space={space!r} is LSGNN's, but {model} has one search space only: drop it")
    if isinstance(drafted.config, LSGNNConfig):
        name, suggest = f"{graph.name}/lsgnn/{space}", space_of(space, drafted.config.select_by)
    else:
        name, suggest = f"{graph.name}/{model}", zoo_model.space
    limits = limits_of(suggest)
    require_inside(start, limits)
    file = place_of(storage) if storage else None
    prepared = Prepared(graph, keep=16) if prepared is None else prepared
    judging = [splits[s] for s in numbers[:PROBED]]
    settled, _ = resolved(prepared, zoo_model, drafted.config, judging, engine, metric, drafted.open_to)
    prune = prune and about(metric).percent  # what is far behind is known for shares of nodes
    scorer = Scorer(prepared, splits, zoo_model, settled, metric, engine, workers, may_stop=prune)
    began = time.perf_counter()
    deadline = time.monotonic() + timeout
    decides = digest(graph, [splits[s] for s in numbers], settled, metric, seed, engine)
    pruner = HopelessPruner(min(judging_nodes(metric, graph.y[splits[s].val]) for s in numbers)) if prune else None
    study = open_study(name, file, pruner, decides)
    require_same_space(study, limits)
    known = nearest(settled.to_dict(), limits)
    first = [known | dict(settings) for settings in start]
    if grid and isinstance(settled, LSGNNConfig):
        first_look = open_study(f"{name}/grid", file, pruner, decides)
        # with another learning rate than it was seen with, a cell would not show what it is worth
        first += [known | cell for cell in best_cells(scorer, first_look, numbers, seed, deadline, file)]
    else:
        first.append(known)
    search(study, scorer, suggest, numbers, trials, seed, on_trial, deadline, first, file)
    tuning = choose(study, scorer, numbers, seed, rescore)
    seconds = study.user_attrs.get("seconds", 0.0) + time.perf_counter() - began
    study.set_user_attr("seconds", seconds)
    return replace(tuning, seconds=seconds)


def digest(
    graph: Graph, splits: Sequence[Split], base: TrainingConfig, metric: Metric, seed: int, engine: Engine
) -> str:
    """A name for everything but the searched settings that decides a score."""
    data = [digest_of_graph(graph), *(digest_of_split(split) for split in splits)]
    parts = [*data, base.to_dict(), metric, seed, engine, "a seed per split"]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def space_of(name: SpaceName, select_by: SelectBy) -> Space:
    """A search space of LSGNN by its name; epochs may be selected by loss or as they are."""
    if name not in SPACES:
        raise InputError(f"space={name!r} is not a choice: use one of {', '.join(map(repr, SPACES))}")
    if name == "extended" and select_by not in ("val_loss", "val_accuracy"):
        return partial(extended_space, score=select_by)
    return SPACES[name]
