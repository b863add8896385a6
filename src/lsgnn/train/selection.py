"""Which epoch's weights are kept: the best on validation, never on anything else."""

from __future__ import annotations

from lsgnn.config import SelectBy
from lsgnn.errors import TrainingDiverged
from lsgnn.train.trained import Epoch


class BestEpoch:
    """Watches the history of one training.

    By loss the lowest counts; by accuracy the highest, and among equals, which few validation nodes make frequent, the
    one with the lowest loss. What is still equal goes to the earliest epoch.
    """

    def __init__(self, select_by: SelectBy) -> None:
        self.select_by = select_by
        self.epoch = 0
        self._best = (float("-inf"), float("-inf"))

    def improved(self, latest: Epoch) -> bool:
        """True if this epoch is the best so far."""
        loss = latest["val_loss"]
        score = (latest["val_accuracy"] if self.select_by == "val_accuracy" else 0.0, -loss)
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
