"""Is one model ahead of another, or is it noise? Scores on the same nodes, and the standard error of their difference.

Both models are scored on the same validation nodes of the same splits, so that what is hard for both cancels out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lsgnn.train.metrics import Metric, measure, utility

UNSEEN = 2  # nodes on which the models might differ as well: of a single one that does, nothing can be concluded
RESAMPLES = 60  # of the validation nodes, for metrics that are no mean over nodes: the error within a tenth
Logits = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Judged:
    """A model's logits [b, C] on the validation nodes of each split, and their classes [b].

    Args:
        metric: what they are scored by.
        positive: the class that metrics for two classes are about.
    """

    metric: Metric
    positive: int
    logits: tuple[Logits, ...]
    classes: tuple[NDArray[np.int64], ...]

    @cached_property
    def score(self) -> float:
        """Mean over the splits; higher is better, also where the metric itself says otherwise."""
        return float(np.mean([self._measured(logits, y) for logits, y in zip(self.logits, self.classes, strict=True)]))

    def _measured(self, logits: Logits, y: NDArray[np.int64]) -> float:
        return utility(self.metric, measure(self.metric, logits, y, self.positive))

    def error_of_lead(self, over: Judged) -> float:
        """Standard error of the difference between both scores."""
        if self.metric == "accuracy":
            gaps = np.concatenate([a.astype(float) - b for a, b in zip(self._right(), over._right(), strict=True)])
            return float(np.sqrt(((gaps - gaps.mean()) ** 2).sum() + UNSEEN) / len(gaps))
        random = np.random.default_rng(0)
        leads = [self._resampled_lead(over, random) for _ in range(RESAMPLES)]
        return float(np.std(leads))

    def _right(self) -> list[NDArray[np.bool_]]:
        return [logits.argmax(axis=1) == y for logits, y in zip(self.logits, self.classes, strict=True)]

    def _resampled_lead(self, over: Judged, random: np.random.Generator) -> float:
        """The difference on as many nodes of each class, drawn with replacement: no class may be missing."""
        leads = []
        for mine, other, y in zip(self.logits, over.logits, self.classes, strict=True):
            members = [np.flatnonzero(y == c) for c in np.unique(y)]
            nodes = np.concatenate([random.choice(m, len(m)) for m in members])
            leads.append(self._measured(mine[nodes], y[nodes]) - self._measured(other[nodes], y[nodes]))
        return float(np.mean(leads))


def simplest_of_the_best(candidates: Sequence[Judged], errors: float = 1.0) -> int:
    """The first of the candidates, in order of simplicity, that is within so many standard errors of the best one."""
    best = max(range(len(candidates)), key=lambda c: (candidates[c].score, -c))
    for number, candidate in enumerate(candidates[:best]):
        if candidates[best].score - candidate.score <= errors * candidates[best].error_of_lead(candidate):
            return number
    return best
