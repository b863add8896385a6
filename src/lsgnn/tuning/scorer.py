"""How settings are scored during a search: on validation nodes only, split by split.

No training sees a test label: they are blanked before it starts (`Split.visible`), and what is prepared once for all
splits is made without labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Protocol

from lsgnn.config import LSGNNConfig, TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Splits
from lsgnn.train.engines import Engine
from lsgnn.train.jobs import Job, SharedPrecompute, logits_of, train_many
from lsgnn.train.metrics import Metric, measure
from lsgnn.train.trained import Trained
from lsgnn.zoo.protocol import ZooModel


class Scorer(Protocol):
    """Validation scores of a model's settings, one per split, in percent."""

    @property
    def base(self) -> TrainingConfig:
        """The settings that a search does not touch."""

    def scores(self, settings: dict[str, Any], splits: Sequence[int], seed: int) -> Iterator[float]:
        """One score after the other; split s is trained with seed + s."""


@dataclass(frozen=True, eq=False)
class LSGNNScorer:
    """Scores settings of LSGNN; trains `workers` splits at a time and shares the precompute between all trials."""

    graph: Graph
    splits: Splits
    base: LSGNNConfig
    metric: Metric = "accuracy"
    engine: Engine = "auto"
    workers: int = 2

    @cached_property
    def shared(self) -> SharedPrecompute:
        return SharedPrecompute(self.graph, keep=16)

    def scores(self, settings: dict[str, Any], splits: Sequence[int], seed: int) -> Iterator[float]:
        config = self.base.replace(**settings)
        for start in range(0, len(splits), self.workers):
            some = splits[start : start + self.workers]
            jobs = [Job(config.replace(seed=seed + s), self.splits[s]) for s in some]
            for job, trained in zip(jobs, train_many(self.shared, jobs, self.engine, self.workers), strict=True):
                yield 100 * self._score(job, trained)

    def _score(self, job: Job, trained: Trained) -> float:
        if self.metric == "accuracy":
            return trained.history[trained.best_epoch - 1]["val_accuracy"]
        val = job.split.val
        return measure(self.metric, logits_of(self.shared, job.config, trained)[val], self.graph.y[val])


@dataclass(frozen=True, eq=False)
class ZooScorer:
    """Scores settings of any model of the zoo; trials that differ only in learning share what it prepares."""

    graph: Graph
    splits: Splits
    model: ZooModel[Any]
    base: TrainingConfig
    metric: Metric = "accuracy"

    @cached_property
    def prepared(self) -> Callable[[Any], Any]:
        def prepare(structure: tuple[tuple[str, Any], ...]) -> Any:
            return self.model.prepare(self.graph, self.base.replace(**dict(structure)))

        return lru_cache(maxsize=4)(prepare)

    def scores(self, settings: dict[str, Any], splits: Sequence[int], seed: int) -> Iterator[float]:
        config = self.base.replace(**settings)
        learning = {f.name for f in fields(TrainingConfig)}
        structure = tuple((k, v) for k, v in config.to_dict().items() if k not in learning)
        for s in splits:
            split, own = self.splits[s], config.replace(seed=seed + s)
            logits = self.model.solve(self.graph, split, own, self.prepared(structure)).logits
            yield 100 * measure(self.metric, logits[split.val], self.graph.y[split.val])
