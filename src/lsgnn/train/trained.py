"""`Trained`: what any training engine hands back, whichever way it computed it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

from torch import Tensor

from lsgnn.config import TrainingConfig
from lsgnn.memory import require_memory


class Epoch(TypedDict):
    """One line of the history; accuracies are shares of 1."""

    epoch: int
    train_loss: float
    val_loss: float
    val_accuracy: float


def require_memory_for_history(config: TrainingConfig) -> None:
    """Raises if there is no room for what every epoch adds to the history (measured).

    Patience may end a training early; then only the fused engine's table counts, which is as long as `epochs`.
    """
    each = 24 if config.patience else 450
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
