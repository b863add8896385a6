"""Which epoch's weights are kept: the best on validation, never on anything else."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.config import SelectBy
from lsgnn.errors import TrainingDiverged
from lsgnn.train.metrics import Metric, measure, positive_class, require_measurable
from lsgnn.train.trained import Epoch

Score: TypeAlias = Literal[
    "val_balanced_accuracy", "val_macro_f1", "val_roc_auc", "val_average_precision", "val_recall_at_k"
]


class BestEpoch:
    """Watches the history of one training.

    By loss the lowest counts; by a score the highest, and among equals, which few validation nodes make frequent, the
    one with the lowest loss. What is still equal goes to the earliest epoch.
    """

    def __init__(self, select_by: SelectBy) -> None:
        self.select_by = select_by
        self.epoch = 0
        self._best = (float("-inf"), float("-inf"))

    def improved(self, latest: Epoch) -> bool:
        """True if this epoch is the best so far."""
        loss = latest["val_loss"]
        score = (0.0 if self.select_by == "val_loss" else latest[self.select_by], -loss)
        if loss == loss and score > self._best:  # a NaN loss is never the best
            self._best, self.epoch = score, latest["epoch"]
            return True
        return False

    def waited(self, epoch: int, patience: int) -> bool:
        """True if there has been no improvement for `patience` epochs (0: wait for ever)."""
        return patience > 0 and epoch - self.epoch >= patience

    def require_any(self, lr: float) -> None:
        """Raises if no epoch had a finite validation loss."""
        if self.epoch == 0:
            raise TrainingDiverged(
                f"training diverged: no epoch had a finite validation loss with lr={lr}; lower it, and scale the "
                "features (feature_norm) if they are large"
            )


def select_by_for(metric: Metric, default: SelectBy) -> SelectBy:
    """The selection rule that goes with a metric; for accuracy the configuration's own (by accuracy or by loss)."""
    if metric == "accuracy":
        return default
    return "val_loss" if metric == "log_loss" else cast(SelectBy, f"val_{metric}")


class ValidationScore:
    """What epochs are selected by, where it is neither loss nor accuracy: adds it to each line of the history.

    Args:
        train_y: classes of the training nodes; they decide, with those of the validation nodes, which is positive.
        val_y: classes of the validation nodes.
    """

    def __init__(self, select_by: SelectBy, train_y: NDArray[np.int64], val_y: NDArray[np.int64]) -> None:
        self.key, self.y = score_of(select_by), val_y
        self.positive = positive_class(np.concatenate([train_y, val_y]))

    def added(self, latest: Epoch, logits: Tensor) -> Epoch:
        """The line with the score of the validation logits; NaN where the loss is not finite, as nothing is ranked."""
        if self.key is not None:
            finite = math.isfinite(latest["val_loss"])
            scored = logits.cpu().numpy()
            latest[self.key] = measure(metric_of(self.key), scored, self.y, self.positive) if finite else math.nan
        return latest


def score_of(select_by: SelectBy) -> Score | None:
    """The further entry that the history has under this rule, if any."""
    return None if select_by in ("val_loss", "val_accuracy") else cast(Score, select_by)


def metric_of(select_by: Score) -> Metric:
    return cast(Metric, select_by.removeprefix("val_"))


def require_selectable(select_by: SelectBy, val_y: NDArray[np.int64], num_classes: int) -> None:
    """Raises where validation nodes cannot be scored by the rule."""
    if (key := score_of(select_by)) is not None:
        require_measurable(metric_of(key), val_y, num_classes)
