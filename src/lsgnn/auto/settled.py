"""When do more trials of a model stop paying? When its last ones have improved its best score by next to nothing.

On a small graph a trial takes a tenth of a second, and thousands of them would find what suits the few validation nodes
and nothing else. How patient to be was read off the stored searches of the paper (`tests/auto/test_settled.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lsgnn.auto.ranking import Trial, complete
from lsgnn.runs.judges import ENOUGH
from lsgnn.train.metrics import Metric

PATIENCE = (20, 50)  # trials of a model without a gain: in the first round, and of the few that are left in the second
LEAST_PATIENCE = 0.4  # of these, where validation nodes are few
GAIN = 0.25  # standard errors of a score: less is no gain
BEHIND = 2.0  # standard errors of a difference that leave a trial, or a model, no hope


@dataclass(frozen=True)
class Patience:
    """How long a search waits for a model to improve.

    Args:
        gain: by how much a score must rise to count.
        deals: of the training and validation nodes; a trial that was not scored on all of them improves nothing.
        share: of `PATIENCE`. The best of many scores overstates what it will be elsewhere, the more so the fewer nodes
            have judged: on Texas, with 59 of them, trials 20 to 200 of LSGNN raise its best score by 2.2 points, and
            that of the same configuration on other splits by 0.6.
    """

    gain: float
    deals: int
    share: float = 1.0

    @classmethod
    def over(cls, nodes: int, deals: int) -> Patience:
        """For scores on so many validation nodes of each deal: their standard error at its widest, at one half."""
        judged = max(1, nodes * deals)
        return cls(GAIN * math.sqrt(0.25 / judged), deals, min(1.0, max(LEAST_PATIENCE, judged / ENOUGH)))

    def is_over(self, trials: Sequence[Trial], last: int) -> bool:
        """True if so many last ones of a model's trials, in their order, have gained nothing over those before."""
        last = self.trials(last)
        scores = [trial.score if complete(trial, self.deals) else -math.inf for trial in trials]
        before, recent = scores[:-last], scores[-last:]
        return bool(before) and max(recent) <= max(before) + self.gain

    def trials(self, last: int) -> int:
        """As many as are left of so many trials."""
        return max(1, round(self.share * last))


def hopeless(metric: Metric, nodes: int, best: float) -> float:
    """How far behind the best score one on the same validation nodes is beyond hope.

    Of two models about half of the errors coincide, so that their difference has the variance of one score; that of an
    accuracy is known, others are taken at their widest.
    """
    nodes = max(1, nodes)
    variance = max(best * (1 - best), 1 / (4 * nodes)) if metric == "accuracy" else 0.25
    return BEHIND * math.sqrt(variance / nodes)


def least_hopeful(best: float, slack: Callable[[float], float], deals: int) -> float:
    """The mean over so many deals below which a trial has no hope to be the best one.

    Args:
        best: the best mean so far.
        slack: how far behind a score on a single deal may be, given the best one.
    """
    return best - slack(best) / math.sqrt(deals)
