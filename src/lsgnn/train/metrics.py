"""How good are predictions? The three scores this field reports, from logits and labels."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError

Metric = Literal["accuracy", "roc_auc", "macro_f1"]


def measure(metric: Metric, logits: NDArray[np.float32], y: NDArray[np.int64]) -> float:
    """The score of logits [b, C] against classes [b]; all three lie between 0 and 1."""
    if metric == "accuracy":
        return float((logits.argmax(axis=1) == y).mean())
    if metric == "macro_f1":
        from sklearn.metrics import f1_score

        return float(f1_score(y, logits.argmax(axis=1), average="macro"))
    if metric != "roc_auc":
        raise InputError(f"metric={metric!r} is not a choice: use one of {', '.join(map(repr, get_args(Metric)))}")
    if logits.shape[1] != 2:
        raise InputError(f"ROC AUC is for two classes, but there are {logits.shape[1]}: use accuracy or macro_f1")
    if len(present := np.unique(y)) < 2:
        raise InputError(f"ROC AUC needs both classes, but all scored nodes are of class {present}: use another split")
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(y, logits[:, 1] - logits[:, 0]))
