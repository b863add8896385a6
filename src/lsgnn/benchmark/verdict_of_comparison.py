"""Which model should one take, and how sure is that? A few sentences on a leader board, by its validation scores.

The cheapest model within one standard error of the best is taken (Breiman's rule): where splits disagree on who is
better, CPU seconds decide. Test scores are told, but choose nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsgnn.benchmark.score_scale import gap_written, written
from lsgnn.train.metrics import Metric, about, utility

if TYPE_CHECKING:
    from lsgnn.benchmark.comparison import Row
    from lsgnn.benchmark.difference import Difference


@dataclass(frozen=True)
class Verdict:
    """The model to take, and why."""

    model: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.sentences)


def verdict_of(rows: Sequence[Row], metric: Metric) -> Verdict:
    """Of rows that are sorted by mean validation score, best first."""
    chosen = _cheapest_of_the_best(rows)
    others = [row for row in rows if row is not chosen]
    sentences = [_choice(chosen, rows[0], metric)]
    if others:
        rivals = others[:1] + [row for row in others[1:] if row.model == "lsgnn"]
        sentences += [_against(chosen, rival, metric) for rival in rivals]
        sentences.append(_on_test(chosen, others, metric))
    return Verdict(chosen.model, tuple(sentences))


def _cheapest_of_the_best(rows: Sequence[Row]) -> Row:
    """The model of the lowest CPU seconds among those within a standard error of the first; it, where none is known."""
    first, *others = rows
    equals = [first, *(row for row in others if row.val_gap(first).within_an_error)]
    return min(equals, key=lambda row: float("inf") if row.cpu_seconds is None else row.cpu_seconds)


def _choice(chosen: Row, first: Row, metric: Metric) -> str:
    score = f"{about(metric).title}, {written(metric, chosen.mean_val)}{_over(chosen)}"
    if chosen is first:
        return f"Take {chosen.title}: the best mean validation {score}."
    best = f"{written(metric, first.mean_val)} of {first.title}"
    why = f"is within one standard error of the best, {best}, and it is cheaper"
    costs = f"{_cost(chosen)} against {_cost(first)} CPU seconds"
    return f"Take {chosen.title}: its mean validation {score}, {why} ({costs})."


def _against(chosen: Row, rival: Row, metric: Metric) -> str:
    gap = chosen.val_gap(rival)
    ahead = utility(metric, chosen.mean_val) >= utility(metric, rival.mean_val)
    where = "ahead of" if ahead else "behind"
    return f"On validation it is {gap_written(metric, gap.mean)} {where} {rival.title}{_sureness(gap)}."


def _on_test(chosen: Row, others: Sequence[Row], metric: Metric) -> str:
    best = max(others, key=lambda row: utility(metric, row.mean))
    gap = chosen.test_gap(best)
    score = f"On test it scores {written(metric, chosen.mean)}"
    if utility(metric, chosen.mean) >= utility(metric, best.mean):
        return f"{score}, {gap_written(metric, gap.mean)} ahead of {best.title}, the next there{_sureness(gap)}."
    return (
        f"{score}, {gap_written(metric, gap.mean)} behind {best.title}, the best there{_sureness(gap)}; "
        "test scores are no reason to choose another."
    )


def _sureness(gap: Difference) -> str:
    if gap.interval is None:
        return ", and one split does not tell how sure that is"
    kind = "a clear difference" if gap.is_clear else "within noise"
    return " (95 % interval of the difference {:+.2f} to {:+.2f}): ".format(*gap.interval) + kind


def _over(row: Row) -> str:
    return f" over {len(row.units)} splits" if len(row.units) > 1 else " on one split"


def _cost(row: Row) -> str:
    if row.cpu_seconds is None:
        return "unknown"
    return f"{row.cpu_seconds:.1f}" if row.cpu_seconds < 100 else f"{row.cpu_seconds:,.0f}"
