"""Numbers by the bin: histograms, and means of one quantity over bins of another. Pure functions of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lsgnn.report.intervals import Estimate, mean_interval, share_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Histogram:
    """Counts [B] between edges [B+1]; the last bin holds its right edge too."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Bin:
    """What was seen among the `count` cases between `low` and `high`."""

    label: str
    low: float
    high: float
    count: int
    value: Estimate


def histogram(values: Floats, edges: Sequence[float]) -> Histogram:
    counts, _ = np.histogram(values, edges)
    return Histogram(tuple(float(e) for e in edges), tuple(int(c) for c in counts))


def quantile_edges(values: Floats, bins: int) -> list[float]:
    """Distinct edges that put about the same number of values in each bin; a single value gives one bin of it."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)))
    return [float(edges[0])] * 2 if len(edges) == 1 else [float(e) for e in edges]


def degree_edges(largest: int) -> list[int]:
    """0, 1, 2, 3–4, 5–8, …: bins that double, as degrees spread over orders of magnitude."""
    edges = [0, 1, 2, 3]
    while edges[-1] <= largest:
        edges.append(2 * (edges[-1] - 1) + 1)
    return edges


def degree_label(low: float, high: float) -> str:
    """The whole numbers from `low` to below `high`: "1", "3–4"; thousands are rounded, "1k–2k"."""
    first, last = int(low), int(high) - 1
    if first >= last:
        return str(first)
    return f"{first}–{last}" if last <= 1024 else f"{round(first / 1024)}k–{round(last / 1024)}k"


def means_by_bin(by: Floats, values: Floats, edges: Sequence[float], label: Callable[[float, float], str]) -> list[Bin]:
    """Mean of `values` over bins of `by`, with its interval; empty bins are left out.

    Bins are closed on the left; the last is closed on both sides. Shares (values of 0 and 1) get Wilson's interval.
    """
    which = np.clip(np.searchsorted(edges, by, side="right") - 1, 0, len(edges) - 2)
    shares = bool(np.isin(values, (0, 1)).all())
    out = []
    for b in range(len(edges) - 1):
        chosen = values[which == b]
        if len(chosen):
            value = share_interval(float(chosen.sum()), len(chosen)) if shares else mean_interval(chosen.tolist())
            low, high = float(edges[b]), float(edges[b + 1])
            out.append(Bin(label(low, high), low, high, len(chosen), value))
    return out
