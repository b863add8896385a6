"""`Comparison`: the leader board that `compare` returns, with paired differences, as table and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lsgnn.benchmark.evaluate import shown, summary
from lsgnn.benchmark.units import Unit
from lsgnn.train.environment import environment
from lsgnn.train.metrics import Metric


@dataclass(frozen=True)
class Difference:
    """How far a model stays behind the best, in points of the metric: mean over splits and its 95 % interval.

    The interval is that of a paired t test over splits; None with a single one. Splits share nodes, so it is rather too
    narrow than too wide.
    """

    mean: float
    interval: tuple[float, float] | None

    @classmethod
    def between(cls, scores: Sequence[float], best: Sequence[float]) -> Difference:
        from scipy.stats import t

        gaps = np.subtract(scores, best)
        if len(gaps) < 2:
            return cls(float(gaps.mean()), None)
        half = float(t.ppf(0.975, len(gaps) - 1)) * float(gaps.std(ddof=1)) / math.sqrt(len(gaps))
        return cls(float(gaps.mean()), (float(gaps.mean()) - half, float(gaps.mean()) + half))

    def __str__(self) -> str:
        around = "" if self.interval is None else " [{:+.2f}, {:+.2f}]".format(*self.interval)
        return f"{self.mean:+.2f}{around}"


@dataclass(frozen=True)
class Row:
    """One model: its units in the order of the splits, and its distance to the best (None for the best itself)."""

    model: str
    title: str
    units: tuple[Unit, ...] = field(repr=False)
    difference: Difference | None = None

    @property
    def test(self) -> list[float]:
        return [unit.test for unit in self.units]

    @property
    def mean(self) -> float:
        return float(np.mean(self.test))

    @property
    def seconds(self) -> float:
        """Preparation once and training on every split."""
        return self.units[0].prepare_seconds + sum(unit.seconds for unit in self.units)

    @property
    def num_parameters(self) -> int:
        return self.units[0].num_parameters


@dataclass(frozen=True)
class Comparison:
    """All models, best mean test score first."""

    dataset: str
    metric: Metric
    splits: tuple[int, ...]
    rows: tuple[Row, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset,
            "metric": self.metric,
            "splits": list(self.splits),
            "environment": environment(),
            "models": [
                {
                    "model": row.model,
                    "title": row.title,
                    "test": summary(row.test),
                    "val": summary([unit.val for unit in row.units]),
                    "difference_to_best": row.difference and row.difference.mean,
                    "difference_interval_95": row.difference and row.difference.interval,
                    "num_parameters": row.num_parameters,
                    "seconds": round(row.seconds, 3),
                    "best_epochs": [unit.best_epoch for unit in row.units],
                    "config": row.units[0].config,
                }
                for row in self.rows
            ],
        }

    def to_markdown(self) -> str:
        lines = [f"| model | {self.metric}, % | to the best [95 %] | parameters | seconds |", "|---|---|---|---|---|"]
        for row in self.rows:
            score, gap = shown(summary(row.test)), "" if row.difference is None else str(row.difference)
            lines.append(f"| {row.title} | {score} | {gap} | {row.num_parameters:,} | {row.seconds:.1f} |")
        return "\n".join(lines) + "\n"
