"""`Trained`: what any training engine hands back, whichever way it computed it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

from torch import Tensor

from lsgnn.config import TrainingConfig
from lsgnn.memory import require_memory


class _Always(TypedDict):
    epoch: int
    train_loss: float
    val_loss: float
    val_accuracy: float


class StopTraining(Exception):
    """Raised by a callback after an epoch to end a training run there; the best epoch so far is kept."""


class Epoch(_Always, total=False):
    """One line of the history; scores are shares of 1. Of those below, the one is there that epochs are selected by."""

    val_balanced_accuracy: float
    val_macro_f1: float
    val_roc_auc: float
    val_average_precision: float
    val_recall_at_k: float


def require_memory_for_history(config: TrainingConfig) -> None:
    """Raises if there is no room for what every epoch adds to the history (measured).

    Patience may end a training early; then only the fused engine's table counts, which is as long as `epochs`.
    """
    each = 32 if config.patience else 450
    fix = "lower epochs" if config.patience else "lower epochs, or set patience"
    require_memory(each * config.epochs, f"the history of epochs={config.epochs}", fix)


@dataclass(frozen=True)
class Trained:
    """The best weights by the selection rule, and how training went.

    Args:
        state_dict: weights of the best epoch, under the names of `lsgnn.nn.LSGNN`.
        best_epoch: the epoch (1-based) they come from.
        history: one entry per epoch, in order.
        seconds: wall time of the training itself, without precompute.
    """

    state_dict: dict[str, Tensor]
    best_epoch: int
    history: list[Epoch] = field(repr=False)
    seconds: float
