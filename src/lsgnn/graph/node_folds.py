"""`NodeKFold`: cross-validation over the labels of a graph that stays whole; a splitter for scikit-learn's tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError


class NodeKFold:
    """Stratified folds of the labelled nodes.

    A held-out node loses its label, not its place in the graph, so rows given to scikit-learn are node ids and the
    graph travels in the estimator::

        classifier = LSGNNClassifier(graph=graph)
        scores = cross_val_score(classifier, graph.node_ids, graph.y, cv=NodeKFold(5))

    Nodes of unknown class (-1) are in every training part, where they have no effect, and in no test part, where they
    could not be scored. A class with fewer nodes than folds is absent from some test parts.

    Args:
        n_splits: folds, at least 2.
        random_state: seed of the shuffling.
    """

    def __init__(self, n_splits: int = 5, *, random_state: int = 0) -> None:
        if n_splits < 2:
            raise InputError(f"n_splits={n_splits} leaves nothing to train on: it must be at least 2")
        self.n_splits = n_splits
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yields (training rows, test rows) of each fold."""
        y = np.asarray(y)
        known = is_known(y)
        if known.sum() < self.n_splits:
            raise InputError(f"{known.sum()} labelled nodes are too few for {self.n_splits} folds: lower n_splits")
        random = np.random.default_rng(self.random_state)
        rows = random.permutation(np.flatnonzero(known))
        rows = rows[np.argsort(np.unique(y[rows], return_inverse=True)[1], kind="stable")]
        fold = np.full(len(y), -1)
        fold[rows] = np.arange(len(rows)) % self.n_splits  # dealt like cards, class after class
        for f in range(self.n_splits):
            yield np.flatnonzero(fold != f), np.flatnonzero(fold == f)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_splits}, random_state={self.random_state})"


def is_known(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Which labels are classes: all but -1 (as text "-1"), None, NaN and the empty string."""
    if y.dtype.kind in "iu":
        return np.asarray(y != -1)
    if y.dtype.kind == "f":
        return np.asarray((y != -1) & ~np.isnan(y))
    if y.dtype.kind == "b":
        return np.ones(len(y), dtype=bool)
    return np.array([value is not None and value == value and str(value) not in ("", "-1") for value in y.tolist()])
