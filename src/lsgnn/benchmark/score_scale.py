"""How scores of a board are read, in one place: their range, and how one is written. Scores are as `displayed`."""

from __future__ import annotations

import math

from lsgnn.train.metrics import Metric, about


def range_of(metric: Metric) -> tuple[float, float]:
    """The lowest and the highest score that there can be."""
    return (0.0, 100.0) if about(metric).percent else (0.0, math.inf)


def titled(metric: Metric) -> str:
    """The metric with its unit, as the head of a column."""
    return f"{about(metric).title}, %" if about(metric).percent else about(metric).title


def written(metric: Metric, score: float) -> str:
    """One score in a sentence."""
    return f"{score:.2f} %" if about(metric).percent else f"{score:.3f}"


def gap_written(metric: Metric, gap: float) -> str:
    """The difference of two scores in a sentence, without a sign."""
    return f"{abs(gap):.2f} points" if about(metric).percent else f"{abs(gap):.3f}"
