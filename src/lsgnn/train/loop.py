"""The torch training loop: any model of the package, any device, full batch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.config import TrainingConfig
from lsgnn.graph.splits import Split
from lsgnn.train.class_weights import class_weights
from lsgnn.train.selection import BestEpoch, ValidationScore
from lsgnn.train.trained import Epoch, StopTraining, Trained, require_memory_for_history
from lsgnn.train.without_dynamo import step, without_dynamo

OnEpoch = Callable[[Epoch], None]
Keep = Callable[[list[Epoch], dict[str, Tensor]], None]


@dataclass(frozen=True)
class Begun:
    """Epochs that are done, and the best weights among them."""

    history: list[Epoch] = field(default_factory=list)
    best: dict[str, Tensor] = field(default_factory=dict)


class Inputs(Protocol):
    """What a model reads: for all nodes, or for a selection of them."""

    def select(self, index: Tensor) -> Self: ...

    def to(self, device: torch.device | str) -> Self: ...


def train_torch(
    model: nn.Module,
    inputs: Inputs,
    y: NDArray[np.int64],
    split: Split,
    config: TrainingConfig,
    on_epoch: OnEpoch | None = None,
) -> Trained:
    """Trains `model` in place and leaves it with the weights of its best epoch.

    Each epoch is one optimiser step on the training nodes and one look at the validation nodes. Labels of other nodes
    are not read. The caller seeds torch, so that a model's initial weights and its dropout come from one stream.
    """
    start = time.perf_counter()
    device = next(model.parameters()).device
    parts = [torch.from_numpy(np.flatnonzero(mask)).to(device) for mask in (split.train, split.val)]
    labels = [torch.from_numpy(y[mask]).to(device) for mask in (split.train, split.val)]
    inputs = inputs.to(device)
    train_inputs, val_inputs = (inputs.select(part) for part in parts)
    train_y, val_y = labels
    num_classes = int(max(y[split.train | split.val])) + 1
    weight = torch.from_numpy(class_weights(config.class_weight, y[split.train], num_classes)).to(device)
    optimizer = make_optimizer(model, config)
    further = ValidationScore(config.select_by, y[split.train], y[split.val])

    def run_epoch(epoch: int) -> Epoch:
        train_loss = _step(model, optimizer, train_inputs, train_y, weight)
        val_loss, val_accuracy, logits = score(model, val_inputs, val_y, weight)
        line = Epoch(epoch=epoch, train_loss=train_loss, val_loss=val_loss, val_accuracy=val_accuracy)
        return further.added(line, logits)

    trained = run_epochs(model, config, run_epoch, start, on_epoch)
    model.load_state_dict(trained.state_dict)
    return trained


def run_epochs(
    model: nn.Module,
    config: TrainingConfig,
    run_epoch: Callable[[int], Epoch],
    start: float,
    on_epoch: OnEpoch | None = None,
    begun: Begun | None = None,
    keep: Keep | None = None,
) -> Trained:
    """Runs epochs until they, or the patience, are used up; keeps the weights of the best one by the selection rule.

    Args:
        run_epoch: trains the model for the epoch of that number and looks at the validation nodes.
        start: when the training began, by `time.perf_counter`.
        begun: epochs that an earlier call has run; the model is as it was after them.
        keep: called after every epoch with the history and the best weights.
    """
    require_memory_for_history(config)
    begun = begun or Begun()
    best, history, state = BestEpoch(config.select_by), list(begun.history), dict(begun.best)
    for line in history:
        best.improved(line)
    last = len(history) if best.waited(len(history), config.patience) else config.epochs
    for epoch in range(len(history) + 1, last + 1):
        history.append(run_epoch(epoch))
        if best.improved(history[-1]):
            state = {name: tensor.detach().cpu().clone() for name, tensor in model.state_dict().items()}
        if keep is not None:
            keep(history, state)
        if on_epoch is not None and not goes_on(on_epoch, history[-1]):
            break
        if best.waited(epoch, config.patience):
            break
    best.require_any(config.lr)
    return Trained(state, best.epoch, history, time.perf_counter() - start)


def goes_on(on_epoch: OnEpoch, latest: Epoch) -> bool:
    """Tells a callback of an epoch; False if it wants to end the training run."""
    try:
        on_epoch(latest)
    except StopTraining:
        return False
    return True


def make_optimizer(model: nn.Module, config: TrainingConfig) -> torch.optim.Optimizer:
    """Adam or AdamW, in one pass over the weights where torch can (a third of the time, or less); a model may name its
    own groups (some of its parameters without weight decay, say)."""
    kind = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    groups = getattr(model, "parameter_groups", None)
    parameters = groups(config.weight_decay) if callable(groups) else model.parameters()
    fused = next(model.parameters()).device.type in ("cpu", "cuda")
    with without_dynamo():
        return kind(parameters, lr=config.lr, weight_decay=config.weight_decay, fused=fused)


def _step(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Inputs, y: Tensor, weight: Tensor) -> float:
    model.train()
    model.zero_grad()
    loss = cross_entropy(model(inputs), y, weight)
    penalty = getattr(model, "penalty", None)  # some models ask more of their weights than weight decay does
    total = loss + penalty() if callable(penalty) else loss
    total.backward()
    step(optimizer)
    return float(loss.detach())


@torch.no_grad()
def score(model: nn.Module, inputs: Inputs, y: Tensor, weight: Tensor | None = None) -> tuple[float, float, Tensor]:
    """(cross entropy, accuracy, logits) in evaluation mode."""
    logits = model.eval()(inputs)
    return float(cross_entropy(logits, y, weight)), float((logits.argmax(dim=-1) == y).float().mean()), logits


def cross_entropy(logits: Tensor, y: Tensor, weight: Tensor | None) -> Tensor:
    """Mean over the nodes, weighted by their classes; the model may know more classes than there are weights."""
    if weight is None or bool((weight == 1).all()):
        return F.cross_entropy(logits, y)
    share = weight[y] / weight[y].sum()
    return (share * F.cross_entropy(logits, y, reduction="none")).sum()
