"""Which of many models to ensemble, and with what shares: greedy selection on validation nodes, in bags.

Caruana et al. (ICML 2004): models are added one by one, with replacement, as long as the mean of the probabilities
scores better. A selection from all models fits the validation nodes too well; the mean of selections from random halves
of them gives each model a chance to be left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from lsgnn.train.metrics import Metric, measure, utility

BAGS = 20
STEPS = 12  # models that one bag may add
LEAST_SHARE = 0.04  # a model that counts for less is left out
MOST_PARTS = 8
Logits = NDArray[np.float32]


def blend_shares(
    candidates: Sequence[Sequence[Logits]],
    classes: Sequence[NDArray[np.int64]],
    metric: Metric,
    positive: int,
    seed: int = 0,
) -> NDArray[np.float64]:
    """The share of each candidate in the ensemble; they add up to one.

    Args:
        candidates: of each, the logits on the validation nodes of every deal; the best one first.
        classes: the classes of these nodes, deal by deal.
    """
    if not candidates:
        raise ValueError("there is no candidate")
    ballot = _Ballot(candidates, classes, metric, positive)
    everyone = np.arange(len(candidates))
    random = np.random.default_rng(seed)
    counts = np.zeros(len(candidates))
    for _ in range(BAGS if len(candidates) > 1 else 1):
        size = max(1, (len(candidates) + 1) // 2)
        bag = np.sort(random.choice(everyone, size, replace=False))
        counts += _normalized(ballot.greedy(bag))
    shares = _pruned(_normalized(counts))
    alone = np.zeros(len(candidates))
    alone[max(range(len(alone)), key=lambda c: (ballot.score(_single(c, len(alone))), -c))] = 1.0
    return shares if ballot.score(shares) >= ballot.score(alone) else alone


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

    def greedy(self, bag: NDArray[np.int64]) -> NDArray[np.float64]:
        """How often each candidate of the bag is taken."""
        counts, best = np.zeros(len(self.p[0])), (float("-inf"), float("-inf"))
        for _ in range(STEPS):
            tried = [(self.score(counts + _single(c, len(counts))), -int(c)) for c in bag]
            score, place = max(tried)
            if score <= best:
                break
            counts[-place] += 1
            best = score
        return counts


def _single(candidate: int, count: int) -> NDArray[np.float64]:
    return np.asarray(np.eye(count)[candidate])


def _normalized(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(counts / counts.sum())


def _pruned(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Without those that hardly count, so that predicting stays quick."""
    kept = np.where(shares >= LEAST_SHARE, shares, 0.0)
    if not kept.any():
        kept = np.where(shares == shares.max(), shares, 0.0)
    smallest = np.sort(kept)[::-1][:MOST_PARTS][-1]
    return _normalized(np.where(kept >= smallest, kept, 0.0))
