"""The verdict on an epoch: is it the best so far, is it the last?"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.scores import ACCURACY, validation_score
from lsgnn.train.fused.structs import Hyper, Log, ScoredRows, Shape, State, Weights, Work
from lsgnn.train.fused.team import EPOCHS_DONE, STOP, Team, load_shared, store_shared


@kernel
def copy(source: Weights, target: Weights) -> None:
    for x in range(source.reduce.shape[0]):
        target.reduce[x] = source.reduce[x]
    for x in range(source.small.shape[0]):
        target.small[x] = source.small[x]
    for x in range(source.links.shape[0]):
        target.links[x] = source.links[x]
    copy_running(source, target)


@inlined
def copy_running(source: Weights, target: Weights) -> None:
    for x in range(source.running.shape[0]):
        target.running[x] = source.running[x]
    for x in range(source.averages.shape[0]):
        target.averages[x] = source.averages[x]


@kernel
def judge(
    epoch: int, rows: ScoredRows, p: Weights, state: State, work: Work, hyper: Hyper, log: Log, shape: Shape,
    team: Team,
) -> None:  # fmt: skip
    """Adds up what `evaluate` left, writes the epoch's line of `log`, and decides by the rule of
    `train/selection.py`: work.verdict = (best epoch, is it this one, is it the last)."""
    loss, correct = 0.0, 0.0
    for chunk in range(shape.val_chunks):
        loss += work.val_parts[2 * chunk]
        correct += work.val_parts[2 * chunk + 1]
    accuracy = correct / shape.val_rows
    line, best = 4 * (epoch - 1), log.best
    log.history[line + 1], log.history[line + 2] = loss, accuracy
    score = accuracy if hyper.rule == ACCURACY else -loss
    if hyper.rule > ACCURACY:
        score = validation_score(rows, work, hyper, shape) if np.isfinite(loss) else np.nan
        log.history[line + 3] = score
    keep = loss == loss and (score > best[0] or (score == best[0] and loss < best[1]))
    if keep:
        best[0], best[1], work.verdict[0] = score, loss, epoch
    waited = hyper.patience > 0 and epoch - work.verdict[0] >= hyper.patience
    end = epoch == hyper.epochs or waited or load_shared(team.shared, STOP) != 0
    if end and keep:
        copy(p, state.best)  # otherwise Adam does it
    elif keep:
        copy_running(p, state.best)
    work.verdict[1], work.verdict[2] = keep, end
    store_shared(team.shared, EPOCHS_DONE, epoch)
