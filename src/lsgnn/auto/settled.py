"""When do more trials of a model stop paying? When its last ones have improved its best score by next to nothing.

On a small graph a trial takes a tenth of a second, and thousands of them would find what suits the few validation nodes
and nothing else. How patient to be was read off the stored searches of the paper (`tests/auto/test_settled.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lsgnn.auto.ranking import Trial, complete

PATIENCE = (20, 50)  # trials of a model without a gain: in the first round, and of the few that are left in the second
GAIN = 0.25  # standard errors of a score: less is no gain


@dataclass(frozen=True)
class Patience:
    """How long a search waits for a model to improve.

    Args:
        gain: by how much a score must rise to count.
        deals: of the training and validation nodes; a trial that was not scored on all of them improves nothing.
    """

    gain: float
    deals: int

    @classmethod
    def over(cls, nodes: int, deals: int) -> Patience:
        """For scores on so many validation nodes of each deal: their standard error at its widest, at one half."""
        return cls(GAIN * math.sqrt(0.25 / max(1, nodes * deals)), deals)

    def is_over(self, trials: Sequence[Trial], last: int) -> bool:
        """True if so many last ones of a model's trials, in their order, have gained nothing over those before."""
        scores = [trial.score if complete(trial, self.deals) else -math.inf for trial in trials]
        before, recent = scores[:-last], scores[-last:]
        return bool(before) and max(recent) <= max(before) + self.gain
