"""Training on the rows of a store, in mini-batches; under torchrun by several processes, each with a part of each one.

Mathematically a batch is a batch, however many processes share it and whichever engine runs it: the loss is the mean
over all of it. What differs is the order of sums and, with dropout, the random numbers: those of the engine. One batch
of all training rows is the training of `lsgnn.train.train_lsgnn`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.nn.model import LSGNN
from lsgnn.out_of_core.fused_steps import FusedSteps
from lsgnn.out_of_core.resumable import Resumable, moments_loaded
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.steps import Places, Steps, TorchSteps
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.world import World
from lsgnn.train.class_weights import class_weights
from lsgnn.train.engine import Engine, require_device, require_engine
from lsgnn.train.fused import obstacle
from lsgnn.train.loop import OnEpoch, run_epochs
from lsgnn.train.seeded import seeded
from lsgnn.train.selection import ValidationScore, score_of
from lsgnn.train.trained import Epoch, Trained

# hyperparameter, value, and a value that does not
NORMALISE_OVER_BATCH = (("head", "mlp", "linear"), ("reduce_norm", "batch", "row"))
Parts = tuple[Places, Places]  # to train and to validate on


def train_stored(
    store: Store,
    config: LSGNNConfig,
    *,
    batch_size: int = 8192,
    engine: Engine = "auto",
    device: str = "cpu",
    world: World | None = None,
    on_epoch: OnEpoch | None = None,
    parts: Parts | None = None,
    resume: Path | None = None,
    threads: int | None = None,
) -> Trained:
    """The best weights by the selection rule; the same in all processes of a `world`.

    Each epoch goes once through the training rows, shuffled, and once through the validation rows.

    Args:
        batch_size: rows of one optimiser step, of all processes together.
        engine: as in `lsgnn.fit`; `auto` is the fused engine wherever it can.
        parts: rows to train and to validate on, where they are not all that the store has for it.
        resume: file that is written after every epoch; a call that was killed goes on from it.
        threads: of the fused engine, by default as many as torch uses; the bits of the result are the same.
    """
    start, world = time.perf_counter(), world or World()
    require_device(device)
    by_torch = why_torch(config, engine, device)
    rows = StoredRows(store, config)
    train, val = parts or parts_of(store)
    over_batch = [pair for pair in NORMALISE_OVER_BATCH if getattr(config, pair[0]) == pair[1]]
    for name, value, other in over_batch:
        if world.size > 1:
            raise InputError(
                f"{name}={value!r} normalises over the whole batch, which no process sees: use {name}={other!r}"
            )
    rows_needed = 2 if over_batch else 1  # by each process in each batch
    smallest = len(train) // -(-len(train) // batch_size) if len(train) else 0
    if smallest < rows_needed * world.size or not len(val):
        raise InputError(
            f"{len(train)} training and {len(val)} validation nodes in batches of {batch_size} are too few for "
            f"{world.size} process(es): each needs {rows_needed} row(s) of every batch"
        )
    y = torch.from_numpy(np.asarray(store.array("y")[store.array("labelled")]))  # of the labelled nodes
    num_classes = len(store.class_names)
    weight = torch.from_numpy(class_weights(config.class_weight, y[train].numpy(), num_classes))
    further = ValidationScore(config.select_by, y[train].numpy(), y[val].numpy())
    ranks = score_of(config.select_by) is not None  # all validation rows at once
    with seeded(config.seed):
        model = LSGNN.from_config(config, store.manifest.num_features, num_classes, store.num_nodes).to(device)
        rows.set_scales(model)
        kept, done = None, None
        if not world.is_first:
            torch.manual_seed(config.seed + world.rank)  # every process drops out other units
        if resume is not None:
            decides = [store.identity, config.to_dict(), batch_size, world.size, not by_torch]
            kept = Resumable(resume, decides, world)
            done = kept.begun(model)
        steps: Steps
        if by_torch:
            steps = TorchSteps(model, config, rows, y, world, device)
        else:
            steps = FusedSteps(model, config, rows, y, world, batch_size, threads)
        if done is not None:
            moments_loaded(steps.optimizer, done[1])

        def run_epoch(epoch: int) -> Epoch:
            total = torch.zeros(2, dtype=torch.float64)  # loss, weight
            for batch in batches(train, batch_size, np.random.default_rng([config.seed, epoch])):
                own, size = batch[world.rank :: world.size], weight[y[batch]].sum()
                loss = steps.step(epoch, own, weight[y[own]], float(size))
                total += torch.stack([world.sum(torch.tensor(loss, dtype=torch.float64)), size.double()])
            loss, accuracy, own_logits = _score(steps, val, batch_size, y, weight, world)
            logits = world.joined(own_logits, len(val)) if ranks else own_logits
            line = Epoch(epoch=epoch, train_loss=float(total[0] / total[1]), val_loss=loss, val_accuracy=accuracy)
            steps.publish()
            return further.added(line, logits)

        keep = None if kept is None else partial(kept.keep, model, steps.optimizer)
        return run_epochs(model, config, run_epoch, start, on_epoch, None if done is None else done[0], keep)


def why_torch(config: LSGNNConfig, engine: Engine = "auto", device: str = "cpu") -> str:
    """What keeps the fused engine from training a store, in a word or two; empty if it does."""
    require_engine(engine)
    found = f"device={device!r}" if device != "cpu" else obstacle(config)
    if engine == "cpu" and found:
        raise InputError(f"engine='cpu' cannot train with {found}: use engine='auto' or 'torch'")
    return "engine='torch'" if engine == "torch" else found


def parts_of(store: Store) -> Parts:
    return places_of(store, "train"), places_of(store, "val")


def places_of(store: Store, part: str) -> Places:
    """Where the nodes of a mask ("train", "val", "test") are among the labelled ones."""
    return np.flatnonzero(store.array(part)[store.array("labelled")])


def batches(places: Places, batch_size: int, random: np.random.Generator) -> Iterator[Places]:
    """All places once, shuffled, in batches of nearly the same size; a single batch stays in order."""
    count = -(-len(places) // batch_size)
    yield from np.array_split(places if count == 1 else random.permutation(places), count)


def _score(
    steps: Steps, places: Places, batch_size: int, y: Tensor, weight: Tensor, world: World
) -> tuple[float, float, Tensor]:
    """(cross entropy, accuracy) in evaluation mode, every process doing its part, and the logits of that part."""
    total, found = torch.zeros(3, dtype=torch.float64), []  # loss, weight, right
    own = places[world.rank :: world.size]
    for start in range(0, len(own), batch_size):
        part = own[start : start + batch_size]
        logits = steps.logits(part)
        losses = weight[y[part]] * F.cross_entropy(logits, y[part], reduction="none")
        found.append(logits)
        right = (logits.argmax(dim=-1) == y[part]).sum()
        total += torch.stack([losses.sum().double(), weight[y[part]].sum().double(), right.double()])
    loss, size, right = world.sum(total)
    return float(loss / size), float(right / len(places)), torch.cat(found)
