"""`evaluate`: settings on every split of a graph; the test nodes are read once, at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lsgnn import zoo
from lsgnn.config import TrainingConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.split_checks import check_split, default_splits, require_test_nodes, split_numbers
from lsgnn.graph.splits import Splits
from lsgnn.runs.defaults import Draft, as_draft, chosen_metric, following
from lsgnn.runs.probe import resolved
from lsgnn.train.engine import Engine
from lsgnn.train.ensemble import mean_logits
from lsgnn.train.environment import environment
from lsgnn.train.metrics import Metric, displayed, measure, positive_class
from lsgnn.train.trained import Trained
from lsgnn.zoo.jobs import Job, predicted_logits, train_many
from lsgnn.zoo.prepared import Prepared


@dataclass(frozen=True)
class Evaluation:
    """Scores per split, in percent (but for the log loss), and what produced them."""

    dataset: str
    model: str
    configs: tuple[Any, ...] = field(repr=False)  # one per split
    metric: Metric
    splits: tuple[int, ...]
    val: tuple[float, ...]
    test: tuple[float, ...]
    best_epochs: tuple[int, ...] = field(repr=False)  # of the first member
    members: int
    engine: Engine
    seconds: float
    environment: dict[str, str] = field(repr=False)
    voters: tuple[Any, ...] = field(default=(), repr=False)  # an ensemble of configurations on every split

    def to_dict(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"config": self.configs[0].to_dict()}
        if self.voters:
            settings = {"voters": [config.to_dict() for config in self.voters]}
        elif any(config != self.configs[0] for config in self.configs):
            settings = {"configs": [config.to_dict() for config in self.configs]}
        return {
            "dataset": self.dataset,
            "model": self.model,
            "splits": list(self.splits),
            f"test_{self.metric}": summary(self.test),
            f"val_{self.metric}": summary(self.val),
            "best_epochs": list(self.best_epochs),
            "members": self.members,
            "seconds": round(self.seconds, 2),
            "engine": self.engine,
            **settings,
            "environment": self.environment,
        }


def summary(scores: Sequence[float]) -> dict[str, Any]:
    """Mean and standard deviation over splits (population, as this literature reports), and the raw scores."""
    return {"mean": float(np.mean(scores)), "std": float(np.std(scores)), "per_split": list(scores)}


def shown(score: dict[str, Any], digits: int = 2) -> str:
    """A summary as `mean ± std`; a single split has no spread (`digits_of` a metric says how many to show).

    >>> shown(summary([80.0, 84.0])), shown(summary([80.0]))
    ('82.00 ± 2.00', '80.00')
    """
    spread = f" ± {score['std']:.{digits}f}" if len(score["per_split"]) > 1 else ""
    return f"{score['mean']:.{digits}f}{spread}"


def evaluate(
    graph: Any,
    config: Any = None,
    *,
    model: str = "lsgnn",
    splits: Splits | None = None,
    which: Sequence[int] | None = None,
    metric: Metric | None = None,
    keep_select_by: bool = False,
    members: int = 1,
    voters: Sequence[Any] = (),
    engine: Engine = "auto",
    workers: int = 2,
    on_done: Callable[[int, Trained], None] | None = None,
    known: dict[tuple[Any, int], Trained] | None = None,
    prepared: Prepared | None = None,
) -> Evaluation:
    """Trains a model on every split (or those in `which`) and scores the best epoch of each on its test nodes.

    Without a `config`, and where it says "auto", each split's own validation nodes decide, as in `fit`. `config` may be
    a list with settings of its own for each split; with `members`, that many seeds are an ensemble.
    `voters` are an ensemble of configurations on every split, in place of `config` (see `Tuning.committee`).
    `metric` is by default the one that `fit` would choose. The best epochs are selected by it; with `keep_select_by`,
    or where configurations are given and no metric is named, by the rule of the configurations.
    `known` holds training runs by configuration and split, of an earlier call with the same graph, splits and engine:
    they are not run again, and new ones are added. `prepared` holds what is prepared of this very graph already.
    """
    graph = as_graph(graph)
    for name, value in (("members", members), ("workers", workers)):
        if value < 1:
            raise InputError(f"{name}={value} is out of range: it must be at least 1")
    if voters and (config is not None or members > 1):
        raise InputError("voters take the place of config and members: pass the one or the other")
    entry = zoo.get(model)
    entry.require_engine(engine)
    follows = not keep_select_by and (metric is not None or (config is None and not voters))
    if config is None or isinstance(config, Draft):
        drafted = as_draft(graph, entry, config)
        config, open_to = drafted.config, drafted.open_to
    else:
        open_to = frozenset()
    given = [config] if isinstance(config, TrainingConfig) else list(config)
    if not given:
        raise InputError("config is an empty list: pass settings, or one for each split")
    for one in (*given, *voters):
        if not isinstance(one, entry.config):
            raise InputError(f"config is of type {type(one).__name__}: {model} takes {entry.config.__name__}")
    splits = default_splits(graph, splits)
    numbers = tuple(split_numbers(splits, which))
    configs = given * len(numbers) if isinstance(config, TrainingConfig) else given
    if len(configs) != len(numbers):
        raise InputError(f"there are {len(configs)} settings for {len(numbers)} splits: pass one, or one per split")
    chosen = [splits[s] for s in numbers]
    for number, split in zip(numbers, chosen, strict=True):
        check_split(graph, split)
        require_test_nodes(graph, split, number)
    metric, _ = chosen_metric(graph, chosen, metric)
    if follows:
        configs, voters = ([following(c, metric) for c in some] for some in (configs, voters))
    start = time.perf_counter()
    prepared = Prepared(graph, keep=16) if prepared is None else prepared
    configs = [
        resolved(prepared, entry, c, [split], engine, metric, open_to)[0]
        for c, split in zip(configs, chosen, strict=True)
    ]
    votes = [
        (voter, number)
        for c, number in zip(configs, numbers, strict=True)
        for voter in voters or [c.replace(seed=c.seed + m) for m in range(members)]
    ]
    known = {} if known is None else known
    new = [vote for vote in dict.fromkeys(votes) if vote not in known]
    trained = train_many(prepared, [Job(entry, voter, splits[s]) for voter, s in new], engine, workers, on_done)
    known.update(zip(new, trained, strict=True))
    members = len(votes) // len(chosen)
    scores: dict[str, list[float]] = {"val": [], "test": []}
    for s, split in enumerate(chosen):
        positive = positive_class(graph.y[split.train | split.val])
        own = votes[s * members : (s + 1) * members]
        logits = mean_logits([predicted_logits(prepared, entry, vote[0], known[vote]) for vote in own])
        for part, values in scores.items():
            mask = getattr(split, part) & graph.labelled
            values.append(displayed(metric, measure(metric, logits[mask], graph.y[mask], positive)))
    return Evaluation(
        dataset=graph.name,
        model=model,
        configs=tuple(configs),
        metric=metric,
        splits=numbers,
        val=tuple(scores["val"]),
        test=tuple(scores["test"]),
        best_epochs=tuple(known[vote].best_epoch for vote in votes[::members]),
        members=members,
        engine=engine,
        seconds=time.perf_counter() - start,
        environment=environment(),
        voters=tuple(voters),
    )
