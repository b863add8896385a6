"""From which probability on is a node called positive? One threshold for two classes, chosen on validation nodes.

The most probable class is the right answer where both mistakes cost the same. Where the positive class is rare it is
hardly ever the most probable one, although the ranking may be good: then the threshold is what decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.train.saved_history import at_least_zero

WANTED = ("precision", "recall")
FIX = "use 'f1', 'precision=0.9', 'recall=0.8', or a number between 0 and 1"


@dataclass(frozen=True)
class Decision:
    """Two classes: positive from a calibrated probability of `threshold` on.

    Args:
        positive: number of the positive class.
        threshold: least probability at which a node is called positive.
        rule: how it was chosen: `f1`, `cost=FN:FP`, `precision=…`, `recall=…`, or `given`.
    """

    positive: int
    threshold: float
    rule: str

    def __post_init__(self) -> None:
        if self.positive not in (0, 1):
            raise InputError(f"positive={self.positive!r} is no class of two: use 0 or 1")
        if not 0 <= self.threshold <= 1:
            raise InputError(f"threshold={self.threshold!r} is out of range: it must be between 0 and 1")

    def predicted(self, probabilities: NDArray[np.floating]) -> NDArray[np.int64]:
        """The class of each row of probabilities [b, 2]."""
        return np.where(probabilities[:, self.positive] >= self.threshold, self.positive, 1 - self.positive)

    def before_calibration(self, temperature: float) -> Decision:
        """The same decision on probabilities whose logits have not been divided by the temperature."""
        t = self.threshold
        odds = -math.inf if t == 0 else math.inf if t == 1 else temperature * math.log(t / (1 - t))
        return Decision(self.positive, 1 / (1 + math.exp(min(-odds, 700))), self.rule)


def decision_of(saved: Mapping[str, Any] | None) -> Decision | None:
    """The way back from a saved run; raises where it is damaged."""
    if saved is None:
        return None
    positive, threshold, rule = (saved[name] for name in ("positive", "threshold", "rule"))
    if len(saved) > 3 or type(positive) is not int or not isinstance(rule, str):
        raise ValueError("the decision is no class, threshold and rule")
    return Decision(positive, at_least_zero(threshold), rule)


def decision_by(
    threshold: float | None, otherwise: Decision | None, positive: int, num_classes: int
) -> Decision | None:
    """Positive from a threshold on that a user names for the moment, else the decision that a run has."""
    if threshold is None:
        return otherwise
    require_two_classes(num_classes, "threshold")
    return Decision(positive, threshold, "given")


def rule_of(threshold: str | float | None, cost: str | Sequence[float] | None) -> str | float | None:
    """The rule that two arguments name, checked: a word, a number, or None for the default.

    >>> rule_of("precision=0.90", None), rule_of(None, (10, 1)), rule_of("0.25", None)
    ('precision=0.9', 'cost=10:1', 0.25)
    """
    if cost is not None:
        if threshold is not None:
            raise InputError(f"threshold={threshold!r} and cost={cost!r} both choose a threshold: pass one of them")
        return "cost={:g}:{:g}".format(*_costs(cost))
    if threshold is None or threshold == "f1":
        return threshold
    name, _, value = str(threshold).rpartition("=")
    number = _number(value)
    if name in WANTED and 0 < number <= 1:
        return f"{name}={number:g}"
    if name == "" and "=" not in str(threshold) and 0 <= number <= 1:
        return number
    raise InputError(f"threshold={threshold!r} names no rule: {FIX}")


def require_two_classes(num_classes: int, what: str) -> None:
    if num_classes != 2:
        raise InputError(f"{what} is for two classes, but there are {num_classes}: drop it")


def choose_threshold(
    probability: NDArray[np.floating], is_positive: NDArray[np.bool_], rule: str | float
) -> tuple[float, str]:
    """The threshold that a rule prefers on validation nodes, and a note where they cannot tell; empty otherwise.

    It lies midway between two neighbouring probabilities; of equally good ones the highest is taken.

    Args:
        probability: of the positive class [b].
        is_positive: whether it is the true one [b].
        rule: as `rule_of` returns it.
    """
    if not isinstance(rule, str):
        return float(rule), ""
    if not is_positive.any() or is_positive.all():
        kind = "no" if not is_positive.any() else "every"
        return 0.5, f"{kind} validation node is of the positive class: the threshold stays 0.5"
    cuts = _Cuts.of(probability, is_positive)
    kind, _, value = rule.partition("=")
    if kind == "f1":
        return cuts.best(2 * cuts.hits / (cuts.called + cuts.positives)), ""
    if kind == "cost":
        missed, false = _costs(value)
        return cuts.best(-(missed * (cuts.positives - cuts.hits) + false * (cuts.called - cuts.hits))), ""
    precision = np.divide(cuts.hits, cuts.called, out=np.zeros(len(cuts.hits)), where=cuts.called > 0)
    recall = cuts.hits / cuts.positives
    scores, other = (precision, recall) if kind == "precision" else (recall, precision)
    wanted = float(value)
    if (scores >= wanted).any():
        return cuts.best(np.where(scores >= wanted, other, -1.0)), ""
    note = f"no threshold reaches {rule} on validation nodes: the nearest has {kind} {scores.max():.3g}"
    return cuts.best(np.where(scores == scores.max(), other, -1.0)), note


@dataclass(frozen=True, eq=False)
class _Cuts:
    """Every way to part the nodes by a threshold, the highest first: how many are called positive, and rightly."""

    threshold: NDArray[np.float64]
    called: NDArray[np.int64]
    hits: NDArray[np.int64]
    positives: int

    @classmethod
    def of(cls, probability: NDArray[np.floating], is_positive: NDArray[np.bool_]) -> _Cuts:
        values, group = np.unique(-np.asarray(probability, dtype=np.float64), return_inverse=True)
        values = np.concatenate([[1.0], -values, [0.0]])
        size, hits = np.bincount(group), np.bincount(group, weights=is_positive).astype(np.int64)
        called, found = (np.concatenate([[0], np.cumsum(counts)]) for counts in (size, hits))
        between = (values[:-1] + values[1:]) / 2
        possible = between > values[1:]  # where a node has probability 1, no threshold is above it
        possible[-1] = True
        return cls(between[possible], called[possible], found[possible], int(is_positive.sum()))

    def best(self, worth: NDArray[np.floating]) -> float:
        return float(self.threshold[int(worth.argmax())])


def _costs(cost: Any) -> tuple[float, float]:
    """What a missed positive costs, and a false one."""
    parts = cost.split(":") if isinstance(cost, str) else list(cost) if isinstance(cost, Sequence) else []
    numbers = [_number(part) for part in parts]
    if len(numbers) != 2 or not all(0 < number < math.inf for number in numbers):
        raise InputError(f"cost={cost!r} is no ratio FN:FP of two positive numbers: pass, say, 10:1")
    return numbers[0], numbers[1]


def _number(value: Any) -> float:
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return math.nan
