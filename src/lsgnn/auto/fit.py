"""`lsgnn.fit`: one model, or, with `model="auto"`, the best answer of all of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn.auto.search import OnTrial
from lsgnn.config import TrainingConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.split_checks import check_split, default_splits
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.blend import NAME as AUTO
from lsgnn.runs.defaults import Draft, chosen_metric
from lsgnn.runs.fit import fit as fit_one
from lsgnn.runs.fit import rule_for, with_decision
from lsgnn.runs.run import Run
from lsgnn.train.metrics import Metric


def fit(
    graph: Any,
    config: TrainingConfig | Draft | None = None,
    *,
    model: str = "lsgnn",
    split: int | Split = 0,
    splits: Splits | None = None,
    metric: Metric | None = None,
    threshold: str | float | None = None,
    cost: Any = None,
    minutes: float | None = None,
    trials: int | None = None,
    storage: str | Path | None = None,
    workers: int = 2,
    stop_early: bool = True,
    on_trial: OnTrial | None = None,
    **others: Any,
) -> Run:
    """Trains a model on one split of a graph and reads the test nodes once, at the end.

    With `model="auto"`, all suitable models and their configurations are searched under one budget, and the best are
    an ensemble, chosen and calibrated on validation nodes. The result is a run like any other, with a leader board
    (`run.board`).

    Args:
        graph: anything `lsgnn.as_graph` understands.
        config: a configuration, or None for the default, see `lsgnn.runs.fit`; none for `auto`.
        model: `auto`, or one of `lsgnn.zoo.names()`.
        split: which of the splits to use, or a `Split` of your own.
        splits: splits to use instead of the graph's own (or, where it has none, of stratified ones).
        metric: what counts; see `lsgnn.runs.fit`.
        threshold, cost: how two classes are told apart; see `lsgnn.runs.fit`.
        minutes: budget of `auto` in wall time; 10 by default.
        trials: budget of `auto` in training runs, instead or as well; without `minutes` the search is deterministic.
        storage: folder where `auto` keeps its journal; a search that was stopped goes on from it.
        workers: processes of `auto` that train at the same time.
        stop_early: whether `auto` ends before its budget is used up when more trials stop paying.
        on_trial: called by `auto` with the number of trials and all of them, after each.
        others: what else `lsgnn.runs.fit` takes: engine, device, members, on_epoch, single hyperparameters.
    """
    searching: dict[str, Any] = {"minutes": minutes, "trials": trials, "storage": storage, "on_trial": on_trial}
    shared: dict[str, Any] = dict(split=split, splits=splits, metric=metric, threshold=threshold, cost=cost)
    if model != AUTO:
        given = [name for name, value in searching.items() if value is not None]
        if given := given + ["stop_early"] * (not stop_early):
            raise InputError(f"{given[0]} is for a search over models: pass model='auto' too, or drop it")
        return fit_one(graph, config, model=model, **shared, **others)
    if config is not None or others:
        name = "config" if config is not None else next(iter(others))
        raise InputError(f"{name} is for a single model, but model='auto' chooses: drop it, or name a model")
    return _fit_auto(as_graph(graph), workers=workers, stop_early=stop_early, **shared, **searching)


def _fit_auto(
    graph: Graph,
    split: int | Split,
    splits: Splits | None,
    metric: Metric | None,
    threshold: str | float | None,
    cost: Any,
    **search: Any,
) -> Run:
    from lsgnn.auto.best_answer import best_answer  # Optuna loads slowly

    start = time.perf_counter()
    chosen = split if isinstance(split, Split) else default_splits(graph, splits)[int(np.asarray(split).item())]
    notes = check_split(graph, chosen, own=isinstance(split, Split))
    metric, why = chosen_metric(graph, [chosen], metric)
    rule = rule_for(graph, metric, threshold, cost)
    storage = None if search["storage"] is None else Path(search["storage"]).expanduser()
    found = best_answer(graph, chosen, metric, **search | {"storage": storage})
    run = found.run(graph, chosen, metric, time.perf_counter() - start, (*notes, *why))
    return run if rule is None else with_decision(run, rule)
