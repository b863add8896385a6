"""`Comparison`: the leader board that `compare` returns, best validation score first, with test scores beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from lsgnn.benchmark.difference import Difference
from lsgnn.benchmark.evaluate import summary
from lsgnn.benchmark.recall_by_class import Recall, mean_recall
from lsgnn.benchmark.units import Unit
from lsgnn.benchmark.verdict_of_comparison import Verdict, verdict_of
from lsgnn.train.environment import environment
from lsgnn.train.metrics import Metric, utility


@dataclass(frozen=True)
class Row:
    """One model: its units in the order of the splits, and its distance to the first row (None for that itself).

    `for_fit` holds the hyperparameters in which the configuration of the first split differs from what `lsgnn.fit`
    does by default; `nodes` is how many validation and how many test nodes decide the score of a split on average,
    where scores are shares of them.
    """

    model: str
    title: str
    units: tuple[Unit, ...] = field(repr=False)
    for_fit: Mapping[str, Any] = field(default_factory=dict, repr=False)
    val_difference: Difference | None = None
    test_difference: Difference | None = None
    nodes: tuple[float, float] = (0, 0)

    @property
    def val(self) -> list[float]:
        return [unit.val for unit in self.units]

    @property
    def test(self) -> list[float]:
        return [unit.test for unit in self.units]

    @property
    def mean_val(self) -> float:
        return float(np.mean(self.val))

    @property
    def mean(self) -> float:
        """Of the test scores."""
        return float(np.mean(self.test))

    @property
    def seconds(self) -> float:
        """Preparation once and training on every split."""
        return self.units[0].prepare_seconds + sum(unit.seconds for unit in self.units)

    @property
    def cpu_seconds(self) -> float | None:
        """The same in CPU seconds; None where a stored unit does not tell."""
        costs = [self.units[0].prepare_cpu_seconds, *(unit.cpu_seconds for unit in self.units)]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    @property
    def recall(self) -> Recall:
        """Share of each class's test nodes that was classified right, mean over splits; empty where a unit has none."""
        return mean_recall([unit.recall for unit in self.units]) if all(unit.recall for unit in self.units) else ()

    @property
    def num_parameters(self) -> int:
        return self.units[0].num_parameters

    def against(self, other: Row) -> Row:
        """This row with its distances to another."""
        return replace(
            self,
            val_difference=self.val_gap(other),
            test_difference=self.test_gap(other),
        )

    def val_gap(self, other: Row) -> Difference:
        return Difference.between(self.val, other.val, self.nodes[0])

    def test_gap(self, other: Row) -> Difference:
        return Difference.between(self.test, other.test, self.nodes[1])


@dataclass(frozen=True)
class Comparison:
    """All models, best mean validation score first: by that a model may be chosen, and by test it may not.

    `notes` tell what was probed before.
    """

    dataset: str
    metric: Metric
    splits: tuple[int, ...]
    rows: tuple[Row, ...]
    class_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, dataset: str, metric: Metric, splits: Iterable[int], rows: Iterable[Row], **more: Any) -> Comparison:
        """Rows in any order; the earlier of equals stays first."""
        first, *others = sorted(rows, key=lambda row: -utility(metric, row.mean_val))
        return cls(dataset, metric, tuple(splits), (first, *(row.against(first) for row in others)), **more)

    @cached_property
    def verdict(self) -> Verdict:
        """Which model to take, by validation, in words."""
        return verdict_of(self.rows, self.metric)

    @property
    def chosen(self) -> Row:
        """The row of the model to take."""
        return next(row for row in self.rows if row.model == self.verdict.model)

    def to_dict(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset,
            "metric": self.metric,
            "splits": list(self.splits),
            "environment": environment(),
            "class_names": list(self.class_names),
            "notes": list(self.notes),
            "chosen": {"model": self.verdict.model, "sentences": list(self.verdict.sentences)},
            "models": [self._of_row(row) for row in self.rows],
        }

    @staticmethod
    def _of_row(row: Row) -> dict[str, Any]:
        val, test = row.val_difference, row.test_difference
        return {
            "model": row.model,
            "title": row.title,
            "val": summary(row.val),
            "test": summary(row.test),
            "val_difference_to_first": val and val.mean,
            "val_difference_interval_95": val and val.interval,
            "test_difference_to_first": test and test.mean,
            "test_difference_interval_95": test and test.interval,
            "test_recall_by_class": list(row.recall),
            "num_parameters": row.num_parameters,
            "seconds": round(row.seconds, 3),
            "cpu_seconds": None if row.cpu_seconds is None else round(row.cpu_seconds, 3),
            "best_epochs": [unit.best_epoch for unit in row.units],
            "config": row.units[0].config,
            "configs_per_split": [unit.config for unit in row.units] if _differ(row.units) else None,
        }

    def to_markdown(self) -> str:
        """The board, the recall of each class, and the verdict."""
        from lsgnn.benchmark.comparison_text import markdown

        return markdown(self)


def _differ(units: tuple[Unit, ...]) -> bool:
    return any(unit.config != units[0].config for unit in units)
