"""The engine's face: `Precomputed`, labels, a split and initial weights in; trained weights out."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.graph.splits import Split
from lsgnn.nn.model import KEPT_SIMILARITIES
from lsgnn.propagate.irdc import MAX_BASIS_K
from lsgnn.propagate.precompute import Precomputed
from lsgnn.train.fused.epochs import GRADIENT, PREDICT, TRAIN
from lsgnn.train.fused.layout import DEGREE_SCALE, SIMILARITY_SCALE
from lsgnn.train.fused.paths import Path
from lsgnn.train.fused.structs import State
from lsgnn.train.fused.task import Task
from lsgnn.train.loop import OnEpoch, goes_on
from lsgnn.train.selection import BestEpoch, Score, score_of
from lsgnn.train.trained import Epoch, Trained, require_memory_for_history


def supports(config: LSGNNConfig) -> bool:
    """True if the engine can train these settings; everything else is for the torch loop."""
    return not obstacle(config)


def obstacle(config: LSGNNConfig) -> str:
    """The first setting that the engine cannot train, as NAME=VALUE; empty if it can train all."""
    unfit = {
        "weights": config.weights not in ("localsim", "graph"),
        "reduce_layers": config.reduce_layers > 1,
        "head": config.head != "linear",
        "K": config.K > MAX_BASIS_K,
    }
    return next((f"{name}={getattr(config, name)!r}" for name, is_unfit in unfit.items() if is_unfit), "")


def train_cpu(
    pre: Precomputed,
    y: NDArray[np.int64],
    split: Split,
    config: LSGNNConfig,
    initial: Mapping[str, Tensor],
    path: Path = "auto",
    threads: int | None = None,
    on_epoch: OnEpoch | None = None,
    exact: bool = False,
) -> Trained:
    """Trains `lsgnn.nn.LSGNN` full-batch: per epoch one optimiser step and one look at the validation rows.

    Labels are read at the split's training and validation rows only. It runs without holding the interpreter's lock, so
    that several splits can train at the same time; the result depends on the arguments alone, `threads` excepted.

    Args:
        pre: the parameter-free half of the model, of n nodes.
        y: class numbers [n].
        split: masks [n]; the test mask is not read.
        config: settings that `supports` accepts.
        initial: a `state_dict` of `lsgnn.nn.LSGNN` to start from; it is not changed.
        path: how the channels are reduced, `narrow` or `dense`; `auto` lets the cost model choose.
        threads: by default as many as torch uses, fewer on small graphs; the bits of the result are the same.
        exact: evaluate LocalSim at every similarity, however many there are; see `similarity_table.py`.
        on_epoch: told of epochs while later ones are under way, ten times a second; `StopTraining` ends it soon after.
    """
    _require_support(config)
    require_memory_for_history(config)
    start = time.perf_counter()
    task = Task.to_train(pre, y, split, config, initial, path, threads, exact)
    state = State(*(task.layout.zeros() for _ in range(3)))
    history = np.full((config.epochs, 4), np.nan)
    key = score_of(config.select_by)
    told, wanted = 0, True

    def on_epochs(done: int) -> bool:
        """Tells `on_epoch` of what is new, until it has enough."""
        nonlocal told, wanted
        if on_epoch is not None and wanted:
            new, told = _lines(history[told:done], key, told), done
            wanted = all(goes_on(on_epoch, line) for line in new)
        return wanted

    best_epoch, epochs_run, _ = task.run(TRAIN, config, state, history, on_epochs=on_epochs)
    if best_epoch == 0:
        BestEpoch(config.select_by).require_any(config.lr)
    epochs = _lines(history[:epochs_run], key)
    constant = (SIMILARITY_SCALE, DEGREE_SCALE, KEPT_SIMILARITIES)
    kept = {name: initial[name].clone() for name in constant if name in initial}
    return Trained(task.layout.unpack(state.best) | kept, best_epoch, epochs, time.perf_counter() - start)


def gradients_cpu(
    pre: Precomputed,
    y: NDArray[np.int64],
    split: Split,
    config: LSGNNConfig,
    state_dict: Mapping[str, Tensor],
    path: Path = "auto",
    threads: int | None = None,
    exact: bool = False,
) -> dict[str, Tensor]:
    """Gradient of the training loss at the given weights, under the model's names: for tests."""
    _require_support(config)
    task = Task.to_train(pre, y, split, config, state_dict, path, threads, exact)
    state = State(*(task.layout.zeros() for _ in range(3)))
    task.run(GRADIENT, config, state, np.zeros((1, 4)))
    return task.layout.parameters(state.m1)


def logits_cpu(
    pre: Precomputed, config: LSGNNConfig, state_dict: Mapping[str, Tensor], threads: int | None = None
) -> NDArray[np.float32]:
    """Logits of all nodes [n, C] in evaluation mode."""
    _require_support(config)
    task = Task.to_predict(pre, config, state_dict, threads)
    state = State(task.weights, task.weights, task.weights)
    _, _, work = task.run(PREDICT, config, state, np.zeros((1, 4)), predicts=True)
    logits = np.empty((pre.num_nodes, task.layout.C), dtype=np.float32)
    logits[task.rows.node] = work.logits.reshape(logits.shape)  # the task has its own order of the nodes
    return logits


def _lines(history: NDArray[np.float64], key: Score | None, before: int = 0) -> list[Epoch]:
    """The epochs that follow upon so many `before`."""
    epochs = []
    for number, (train_loss, val_loss, val_accuracy, score) in enumerate(history.tolist(), start=before + 1):
        epochs.append(Epoch(epoch=number, train_loss=train_loss, val_loss=val_loss, val_accuracy=val_accuracy))
        if key is not None:
            epochs[-1][key] = score
    return epochs


def _require_support(config: LSGNNConfig) -> None:
    if not supports(config):
        raise InputError(f"the CPU engine cannot train with {obstacle(config)}: use engine='auto' or 'torch'")
