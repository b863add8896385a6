"""Which of many models to ensemble, and with what shares: greedy selection on validation nodes, in bags.

Caruana et al. (ICML 2004): models are added one by one, with replacement, as long as the mean of the probabilities
scores better. A selection from all models fits the validation nodes too well; the mean of selections from random halves
of them gives each model a chance to be left out.

A selection does not begin with nothing, but with the best candidate of every model that may still be the best one. The
score of a single model is flattered by all that was chosen by it, its epoch above all; that of a mean of several is
not, as each is lucky on other nodes. Left to these scores alone, a selection takes a lucky model and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from lsgnn.train.metrics import Metric, measure, utility

BAGS = 20
STEPS = 12  # models that one bag may add
BEGINNING = 8  # models that those count for with which a selection begins
LEAST_SHARE = 0.04  # a model that counts for less is left out
MOST_PARTS = 8
Logits = NDArray[np.float32]


def blend_shares(
    candidates: Sequence[Sequence[Logits]],
    classes: Sequence[NDArray[np.int64]],
    metric: Metric,
    positive: int,
    start: NDArray[np.float64],
    seed: int = 0,
) -> NDArray[np.float64]:
    """The share of each candidate in the ensemble; they add up to one.

    Args:
        candidates: of each, the logits on the validation nodes of every deal; the best one first.
        classes: the classes of these nodes, deal by deal.
        start: what each selection begins with, as shares.
    """
    ballot = _Ballot(candidates, classes, metric, positive)
    random = np.random.default_rng(seed)
    counts, half = np.zeros(len(candidates)), (len(candidates) + 1) // 2
    for _ in range(BAGS if len(candidates) > 1 else 1):
        bag = np.sort(random.choice(len(candidates), half, replace=False))
        counts += _normalized(ballot.greedy(bag, BEGINNING * start))
    return _pruned(_normalized(counts))


def equal_start(models: Sequence[str], scores: Sequence[float], hope: float) -> NDArray[np.float64]:
    """Equal shares for the first candidate of every model that scores no less than `hope`; candidates are ranked."""
    first = [model not in models[:number] for number, model in enumerate(models)]
    return _normalized(np.array(first) & (np.array(scores) >= hope))


class _Ballot:
    """Probabilities of all candidates on the nodes of every deal, to score mixtures of them."""

    def __init__(
        self,
        candidates: Sequence[Sequence[Logits]],
        classes: Sequence[NDArray[np.int64]],
        metric: Metric,
        positive: int,
    ) -> None:
        self.metric, self.positive, self.classes = metric, positive, classes
        deals = range(len(classes))
        self.p = [np.exp(log_softmax(np.stack([c[d] for c in candidates]).astype(np.float64), axis=2)) for d in deals]

    def score(self, shares: NDArray[np.float64]) -> tuple[float, float]:
        """(mean score over the deals, minus the mean log loss): the second decides between equals."""
        scores, losses = [], []
        for p, y in zip(self.p, self.classes, strict=True):
            mixed = np.log(np.maximum(np.tensordot(shares / shares.sum(), p, axes=1), 1e-12))
            scores.append(utility(self.metric, measure(self.metric, mixed.astype(np.float32), y, self.positive)))
            losses.append(-mixed[np.arange(len(y)), y].mean())
        return float(np.mean(scores)), -float(np.mean(losses))

    def greedy(self, bag: NDArray[np.int64], start: NDArray[np.float64]) -> NDArray[np.float64]:
        """The start, and how often each candidate of the bag is added to it."""
        counts, best = start, self.score(start)
        for _ in range(STEPS):
            tried = [(self.score(counts + _single(c, len(counts))), -int(c)) for c in bag]
            score, place = max(tried)
            if score <= best:
                break
            counts, best = counts + _single(-place, len(counts)), score
        return counts


def _single(candidate: int, count: int) -> NDArray[np.float64]:
    return np.asarray(np.eye(count)[candidate])


def _normalized(counts: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(counts / counts.sum())


def _pruned(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Without those that hardly count, so that predicting stays quick."""
    kept = np.where(shares >= LEAST_SHARE, shares, 0.0)
    if not kept.any():
        kept = np.where(shares == shares.max(), shares, 0.0)
    kept[np.argsort(-kept, kind="stable")[MOST_PARTS:]] = 0.0
    return _normalized(kept)
