"""How sure is a number? 95 % intervals of a mean over splits, of a share, of any score; pure functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError

RESAMPLES = 200
MAX_RESAMPLED = 200_000  # rows above which drawing them again and again would take minutes
Z95 = 1.959964  # two-sided 95 % point of the normal distribution


@dataclass(frozen=True)
class Estimate:
    """A mean and its 95 % interval; the interval is None where one value alone gives none."""

    mean: float
    interval: tuple[float, float] | None

    @property
    def low(self) -> float:
        return self.mean if self.interval is None else self.interval[0]

    @property
    def high(self) -> float:
        return self.mean if self.interval is None else self.interval[1]


def mean_interval(values: Sequence[float]) -> Estimate:
    """Mean over splits with the t interval. Splits share nodes, so it is rather too narrow than too wide."""
    from scipy.special import stdtrit  # the quantiles of t; scipy.stats takes a second to import

    mean = float(np.mean(values))
    if len(values) < 2:
        return Estimate(mean, None)
    half = float(stdtrit(len(values) - 1, 0.975)) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Estimate(mean, (mean - half, mean + half))


def share_interval(hits: float, count: int) -> Estimate:
    """A share of `count` independent cases with Wilson's interval, which stays within 0 and 1; nan for no case."""
    if count == 0:
        return Estimate(float("nan"), None)
    p, z2 = hits / count, Z95**2
    centre = (p + z2 / (2 * count)) / (1 + z2 / count)
    half = Z95 * math.sqrt(p * (1 - p) / count + z2 / (4 * count**2)) / (1 + z2 / count)
    return Estimate(p, (max(0.0, centre - half), min(1.0, centre + half)))


def resampled_scores(score: Callable[[NDArray[np.int64]], float], count: int, seed: int = 0) -> list[float]:
    """A score of `count` rows, each time of as many rows drawn with replacement; the same draws for the same seed.

    A draw that has no score, because it lacks a class, is nan. None are drawn where there are too many rows.
    """
    if not 0 < count <= MAX_RESAMPLED:
        return []
    random, scores = np.random.default_rng(seed), []
    for _ in range(RESAMPLES):
        rows = random.integers(0, count, count)
        try:
            scores.append(float(score(rows)))
        except InputError:
            scores.append(float("nan"))
    return scores


def percentile_interval(mean: float, resampled: Sequence[float]) -> Estimate:
    """A score with the middle 95 % of what resampled rows give (Efron's bootstrap)."""
    known = np.asarray(resampled, dtype=np.float64)
    known = known[np.isfinite(known)]
    if len(known) < RESAMPLES / 2:
        return Estimate(mean, None)
    low, high = np.percentile(known, [2.5, 97.5])
    return Estimate(mean, (float(low), float(high)))
