"""`Difference`: how far one model is from another on the same splits, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Difference:
    """A model's scores minus another's, in points of the metric: mean over splits, its standard error, 95 % interval.

    The interval is that of a paired t test over splits; it and the error are None with a single one. Splits share
    nodes, so both are rather too narrow than too wide. Two splits may agree by chance: a gap of a few nodes is taken to
    vary between splits by the root of their number at least, as counts do, and by one node.
    """

    mean: float
    interval: tuple[float, float] | None
    error: float | None = None

    @classmethod
    def between(cls, scores: Sequence[float], others: Sequence[float], nodes: float = 0) -> Difference:
        """Of scores in percent, `nodes` is how many decide a split's; 0 where nobody knows, or they are no shares."""
        from scipy.special import stdtrit  # the quantiles of t; scipy.stats takes a second to import

        gaps = np.subtract(scores, others)
        mean = float(gaps.mean())
        if len(gaps) < 2:
            return cls(mean, None)
        of_counts = 100 / nodes * math.sqrt(max(1.0, abs(mean) * nodes / 100)) if nodes else 0.0
        error = max(float(gaps.std(ddof=1)), of_counts) / math.sqrt(len(gaps))
        half = float(stdtrit(len(gaps) - 1, 0.975)) * error
        return cls(mean, (mean - half, mean + half), error)

    @property
    def is_clear(self) -> bool:
        """True if the 95 % interval excludes 0."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]

    @property
    def within_an_error(self) -> bool:
        """True if the mean is no further from 0 than its standard error: of two splits, each favours another model."""
        return self.error is not None and abs(self.mean) <= self.error

    def __str__(self) -> str:
        around = "" if self.interval is None else " [{:+.2f}, {:+.2f}]".format(*self.interval)
        return f"{self.mean:+.2f}{around}"
