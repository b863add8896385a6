"""Trained runs on one graph side by side: scores on the same nodes, and where the runs say different things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.report.intervals import Estimate, percentile_interval, resampled_scores
from lsgnn.report.run_headline import OF_CLASSES, score_of
from lsgnn.runs.run import Run
from lsgnn.train.metrics import Metric, about, measure, utility

Part = Literal["val", "test"]
PARTS = ("train", "val", "test")


@dataclass(frozen=True)
class Pair:
    """One run beside another on the same labelled nodes: how many each has right, and the difference of their scores.

    Args:
        lead: the first run's score minus the second's, with the 95 % interval over nodes; positive where the first is
            better, also for a loss. None where the metric is not defined on these nodes.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    lead: Estimate | None

    @property
    def is_clear(self) -> bool:
        """True if the interval of the lead excludes 0."""
        return self.lead is not None and self.lead.interval is not None and not self.lead.low <= 0 <= self.lead.high


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Runs by name, on one graph.

    Args:
        runs: name → run, in the order they were given.
        y: classes that all runs agree on [n]; -1 elsewhere.
        metric: what all are scored by.
        notes: what was noticed on the way.
    """

    runs: dict[str, Run]
    y: NDArray[np.int64]
    metric: Metric
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        return list(self.runs)

    @property
    def first(self) -> Run:
        return next(iter(self.runs.values()))

    @cached_property
    def predicted(self) -> NDArray[np.int64]:
        """What each run says of each node [R, n]."""
        return np.stack([run.predict().predicted for run in self.runs.values()])

    @cached_property
    def confidence(self) -> NDArray[np.float32]:
        """The calibrated probability of that class [R, n]."""
        return np.stack([run.predict().confidence for run in self.runs.values()])

    def shared(self, part: Part) -> NDArray[np.bool_]:
        """Labelled nodes that are in this part of the split in every run [n]."""
        everywhere = np.logical_and.reduce([getattr(run.split, part) for run in self.runs.values()])
        return np.asarray(everywhere & (self.y >= 0))

    @cached_property
    def untrained(self) -> NDArray[np.bool_]:
        """Nodes that no run was trained on, labelled or not [n]."""
        return np.asarray(~np.logical_or.reduce([run.split.train for run in self.runs.values()]))

    @cached_property
    def disagreed(self) -> NDArray[np.bool_]:
        """Nodes of which not all runs say the same [n]."""
        return np.asarray((self.predicted != self.predicted[0]).any(axis=0))

    @cached_property
    def agreement(self) -> NDArray[np.float64]:
        """Share of nodes that no run was trained on of which two runs say the same [R, R]; nan if there are none."""
        said = self.predicted[:, self.untrained]
        if not said.shape[1]:
            return np.full((len(said), len(said)), np.nan)
        return np.asarray((said[:, None] == said[None]).mean(axis=2))

    def score(self, name: str, part: Part) -> Estimate | None:
        """A run's score on the shared nodes of a part with its 95 % interval; None where there is none."""
        rows = self.shared(part)
        if not self._measurable(rows):
            return None
        scored, y = self._scored(name)[rows], self.y[rows]
        return score_of(self.metric, scored, y, self.first.positive, self._measure(scored, y))

    def pair(self, first: str, second: str, part: Part) -> Pair:
        rows = self.shared(part)
        right = [self.predicted[self.names.index(name)][rows] == self.y[rows] for name in (first, second)]
        a, b = right
        both, only_a, only_b, neither = (int(case.sum()) for case in (a & b, a & ~b, ~a & b, ~a & ~b))
        return Pair(both, only_a, only_b, neither, self._lead(first, second, rows))

    def ranking(self) -> list[str]:
        """Names, the best score on the shared validation nodes first; as given where there is none."""
        scores = {name: self.score(name, "val") for name in self.names}
        known = {name: utility(self.metric, score.mean) for name, score in scores.items() if score is not None}
        return sorted(self.names, key=lambda name: -known.get(name, 0.0))

    def _lead(self, first: str, second: str, rows: NDArray[np.bool_]) -> Estimate | None:
        if not self._measurable(rows):
            return None
        y, positive = self.y[rows], self.first.positive
        a, b = (self._scored(name)[rows] for name in (first, second))

        def lead(drawn: NDArray[np.int64]) -> float:
            pair = (utility(self.metric, measure(self.metric, s[drawn], y[drawn], positive)) for s in (a, b))
            return next(pair) - next(pair)

        return percentile_interval(lead(np.arange(len(y))), resampled_scores(lead, len(y)))

    def _measurable(self, rows: NDArray[np.bool_]) -> bool:
        return bool(rows.any()) and (not about(self.metric).two_classes or len(np.unique(self.y[rows])) == 2)

    def _measure(self, scored: NDArray[np.floating], y: NDArray[np.int64]) -> float:
        return measure(self.metric, scored, y, self.first.positive)

    def _scored(self, name: str) -> NDArray[np.floating]:
        """What the metric reads of a run [n, C]: what it says, or its logits where they are ranked or believed."""
        run = self.runs[name]
        if self.metric in (*OF_CLASSES, "accuracy"):
            return np.asarray(np.eye(run.graph.num_classes)[self.predicted[self.names.index(name)]])
        return run.logits


def compared_runs(runs: Mapping[str, Run], metric: Metric | None = None) -> ComparedRuns:
    """Puts runs on the same graph side by side.

    Args:
        runs: name → run; at least two.
        metric: what to score all of them by; by default their own, or that of the first one where they differ.
    """
    if len(runs) < 2:
        raise InputError(f"{len(runs)} run is nothing to compare: pass two or more")
    (first_name, first), *others = runs.items()
    notes = []
    for name, run in others:
        _require_same_nodes(first_name, first, name, run)
    labels = np.stack([run.graph.y for run in runs.values()])
    agreed = (labels == labels[0]).all(axis=0)
    if not agreed.all():
        notes.append(f"{int((~agreed).sum())} nodes do not have the same label in all runs: they are not scored")
    if any((getattr(run.split, part) != getattr(first.split, part)).any() for _, run in others for part in PARTS):
        notes.append("the runs have different splits: only nodes that are in the same part in all of them are scored")
    if metric is None and len({run.metric for run in runs.values()}) > 1:
        notes.append(f"the runs have different metrics: scored by that of {first_name}, {about(first.metric).title}")
    chosen = first.metric if metric is None else about(metric).name
    if about(chosen).two_classes and first.graph.num_classes != 2:
        raise InputError(f"{about(chosen).title} is for two classes, but there are {first.graph.num_classes}")
    return ComparedRuns(dict(runs), np.where(agreed, labels[0], -1), chosen, tuple(notes))


def _require_same_nodes(first_name: str, first: Run, name: str, run: Run) -> None:
    a, b = first.graph, run.graph
    if a.num_nodes != b.num_nodes or not np.array_equal(a.node_ids, b.node_ids):
        raise InputError(
            f"{name} was trained on other nodes ({b.name}, {b.num_nodes:,} nodes) than {first_name} ({a.name}, "
            f"{a.num_nodes:,} nodes): compare runs on one graph"
        )
    if a.class_names != b.class_names:
        raise InputError(
            f"{name} has other classes than {first_name}: compare runs on one graph with one set of classes"
        )
