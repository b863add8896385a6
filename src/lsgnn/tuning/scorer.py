"""How settings are scored during a search: on validation nodes only, split by split.

No training sees a test label: they are blanked before it starts (`Split.visible`), and what is prepared once for all
splits is made without labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lsgnn.graph.splits import Splits
from lsgnn.train.engine import Engine
from lsgnn.train.metrics import Metric, displayed, measure, positive_class, utility
from lsgnn.train.trained import Trained
from lsgnn.zoo.jobs import Job, predicted_logits, train_in_order
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.protocol import Model


class Scores(Protocol):
    """Whoever scores settings on the validation nodes of some splits, higher is better."""

    @property
    def base(self) -> Any: ...

    @property
    def metric(self) -> Metric: ...

    def scores(self, settings: dict[str, Any], splits: Sequence[int], seed: int) -> Iterator[float]: ...


@dataclass(frozen=True, eq=False)
class Scorer:
    """Validation scores of a model's settings, one per split: in percent (but for the log loss), higher is better.

    Trains `workers` splits at a time where the engine can, and shares what is prepared between all trials.

    Args:
        base: the settings that a search does not touch.
        may_stop: whoever reads the scores may not want all of them, so that no split is begun before it is asked for,
            but for those that train beside it. Otherwise workers never wait for each other within a trial.
    """

    prepared: Prepared
    splits: Splits
    model: Model[Any]
    base: Any
    metric: Metric = "accuracy"
    engine: Engine = "auto"
    workers: int = 2
    may_stop: bool = True

    def scores(self, settings: dict[str, Any], splits: Sequence[int], seed: int) -> Iterator[float]:
        """One score after the other; split s is trained with seed + s."""
        config = self.base.replace(**settings)
        at_once = self.workers if self.model.trains_in_threads(config, self.engine) else 1
        at_once = at_once if self.may_stop else max(1, len(splits))
        for start in range(0, len(splits), at_once):
            some = splits[start : start + at_once]
            jobs = [Job(self.model, config.replace(seed=seed + s), self.splits[s]) for s in some]
            for job, trained in zip(jobs, train_in_order(self.prepared, jobs, self.engine, self.workers), strict=True):
                yield displayed(self.metric, utility(self.metric, self._score(job, trained)))

    def _score(self, job: Job, trained: Trained) -> float:
        known = f"val_{self.metric}"
        if trained.history and known in (best := trained.history[trained.best_epoch - 1]):
            return float(best[known])  # type: ignore[literal-required]
        val = job.split.val
        logits = predicted_logits(self.prepared, job.model, job.config, trained)
        y = self.prepared.graph.y
        return measure(self.metric, logits[val], y[val], positive_class(y[job.split.train | val]))
