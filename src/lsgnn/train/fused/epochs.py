"""The training loop: one entry point, compiled once.

An epoch is a reduction, a look at the validation rows, and a step on the training rows. Dropout comes after the
reduction, so the reduction that a step needs is also the one that scores the weights of the step before: T epochs cost
T + 1 reductions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.compiled import entry_point, inlined, kernel
from lsgnn.train.fused.adam import Step, adam, make_step
from lsgnn.train.fused.channel_norm import standardize_backward, standardize_training, standardize_validation
from lsgnn.train.fused.dense import add_gradient, reduce_dense, reduce_panels, step_dense
from lsgnn.train.fused.fusion import (
    fusion_weights,
    fusion_weights_backward,
    localsim,
    localsim_backward,
    localsim_weights,
)
from lsgnn.train.fused.links import (
    embed_links,
    links_block,
    links_block_backward,
    norm_backward,
    norm_by_nodes,
    norm_by_running,
    step_links,
    sum_norm_gradient,
)
from lsgnn.train.fused.narrow import reduce_narrow, step_narrow
from lsgnn.train.fused.output import classify, classify_backward, cross_entropy, softmax_gradient
from lsgnn.train.fused.row_norm import BY_BATCH
from lsgnn.train.fused.rows import backward, draw_mask, forward
from lsgnn.train.fused.scores import ACCURACY, validation_score
from lsgnn.train.fused.smoothing import smooth, smooth_backward
from lsgnn.train.fused.structs import (
    Floats,
    Hyper,
    Links,
    Narrow,
    Panels,
    ScoredRows,
    Scratch,
    Shape,
    Small,
    State,
    Weights,
    Work,
)
from lsgnn.train.fused.team import (
    EPOCHS_DONE,
    ROWS,
    STOP,
    WEIGHTS,
    Team,
    bounds,
    claim,
    load_shared,
    meet,
    store_shared,
)
from lsgnn.train.fused.vector import BATCH, Vec, Width, splat, vload, vstore

TRAIN, GRADIENT, PREDICT = 0, 1, 2

u32, ZERO = np.uint32, np.float32(0)


@inlined
def mixed(h: Any) -> Any:
    """Wellons' lowbias32: every bit of the result depends on every bit of h."""
    h = u32(u32(h ^ (h >> u32(16))) * u32(0x7FEB352D))
    h = u32(u32(h ^ (h >> u32(15))) * u32(0x846CA68B))
    return u32(h ^ (h >> u32(16)))


@inlined
def transpose(source: Floats, width: int, rows: int, target: Floats, target_width: int) -> None:
    for r in range(rows):
        for x in range(width):
            target[x * target_width + r] = source[r * width + x]


@kernel
def reduce_rows(
    narrow: Narrow | None, H: Panels | None, links: Links | None, rows: ScoredRows, p: Weights, q: Small, work: Work,
    s: Scratch, shape: Shape, team: Team, w: Width, wide: Width,
) -> None:  # fmt: skip
    """The first stage, everything that rows read: Z (unless rows are reduced a few at a time), LocalSim's perceptron at
    the distinct similarities, α's output weights transposed, the adjacency embedding."""
    if H is not None and shape.rows_together == 0:
        reduce_dense(H, p, work, shape, team, w)
    if narrow is not None:
        reduce_narrow(narrow, p, work, s, shape, team, w, wide)
    if shape.localsim:
        localsim(rows, q, work, shape, team, w)
    if team.number == 0:
        transpose(q.al_out, shape.z, 3 * shape.K, work.al_out_T, shape.alphas)
        transpose(q.head, shape.blocks * shape.z, shape.C, work.head_T, shape.classes)
    if links is not None:
        embed_links(links, p, q, work, shape, team, w)
    meet(team)
    if shape.hops > 0:
        smooth(rows, work, shape, team)


@inlined
def rows_of(chunk: int, chunks: int, first_row: int, count: int, H: Panels | None) -> tuple[int, int]:
    """From where to where a chunk of so many rows reaches; the dense reduction's panels are never cut apart."""
    if H is None:
        first, end = bounds(chunk, chunks, count)
        return first_row + first, first_row + end
    P = len(H.rows)
    panel = first_row // P
    first, end = bounds(chunk, chunks, -(-(first_row + count) // P) - panel)
    return max(first_row, (panel + first) * P), min(first_row + count, (panel + end) * P)


@inlined
def end_together(row: int, end: int, H: Panels | None, shape: Shape) -> int:
    """The end of the rows that are done in one go from `row` on, by default all of a chunk's."""
    if H is not None and shape.rows_together > 0:
        return min(end, row - row % len(H.rows) + shape.rows_together)
    return end


@inlined
def reduce_some(first: int, end: int, H: Panels | None, p: Weights, work: Work, shape: Shape, w: Width) -> None:
    """Z at rows first … end-1, unless all rows have been reduced before."""
    if H is not None and shape.rows_together > 0:
        reduce_panels(H, first // len(H.rows), -(-end // len(H.rows)), p.reduce, work, shape, w)


@kernel
def evaluate(
    H: Panels | None, links: Links | None, rows: ScoredRows, p: Weights, q: Small, work: Work, s: Scratch,
    shape: Shape, team: Team, w: Width,
) -> None:  # fmt: skip
    """Cross entropy and hits of the validation rows, without dropout; keeps their logits if there is room."""
    masked = False
    chunk = claim(team, ROWS)
    while chunk < shape.val_chunks:
        row, end = rows_of(chunk, shape.val_chunks, shape.train_rows, shape.val_rows, H)
        loss, correct, reduced = 0.0, 0, row
        while row < end:
            if row == reduced:
                reduced = end_together(row, end, H, shape)
                reduce_some(row, reduced, H, p, work, shape, w)
            count = min(len(BATCH), reduced - row)
            fusion_weights(row, count, rows, work, q, s, shape, w)
            for i in range(count):
                r = row + i
                if links is not None:
                    links_block(i, rows.node[r], work, s, shape, w)
                forward(i, r, q, work, s, masked, shape, w)
            classify(q, work, s, s.Q, shape, w)
            for i in range(count):
                r = row + i
                if work.logits.shape[0] > 0:
                    for c in range(shape.C):
                        work.logits[r * shape.C + c] = s.logit[i * shape.classes + c]
                row_loss, hit = cross_entropy(i, s, rows.y[r], shape, w)
                loss += rows.loss_share[r] * row_loss
                correct += hit
            row += count
        work.val_parts[2 * chunk], work.val_parts[2 * chunk + 1] = loss, correct
        chunk = claim(team, ROWS)
    meet(team)


@kernel
def train_rows(
    H: Panels | None, links: Links | None, rows: ScoredRows, p: Weights, q: Small, g: Small, work: Work, s: Scratch,
    dropout: float, salt: int, shape: Shape, team: Team, w: Width,
) -> None:  # fmt: skip
    """The training loss; its gradient goes into work.grad_rows (small parameters), work.grad_phi and the training rows
    of work.Z; where rows are reduced a few at a time, on to work.grad_reduce. A chunk sums up in g and s.grad_tile, the
    thread's own."""
    masked, size = dropout > 0, s.grad_small.shape[0]
    chunk = claim(team, ROWS)
    while chunk < shape.train_chunks:
        row, end = rows_of(chunk, shape.train_chunks, 0, shape.train_rows, H)
        loss, first, reduced = 0.0, row, row
        for x in range(size):
            s.grad_small[x] = 0
        if H is not None and shape.rows_together > 0:
            for x in range(s.grad_tile.shape[0]):
                s.grad_tile[x] = 0
        while row < end:
            if row == reduced:
                first, reduced = row, end_together(row, end, H, shape)
                reduce_some(first, reduced, H, p, work, shape, w)
            count = min(len(BATCH), reduced - row)
            fusion_weights(row, count, rows, work, q, s, shape, w)
            for i in range(count):
                r = row + i
                if masked:
                    base = mixed(u32(salt ^ u32(rows.node[r] * u32(0x9E3779B9))))
                    draw_mask(i, s, base, dropout, shape, w)
                if links is not None:
                    links_block(i, rows.node[r], work, s, shape, w)
                forward(i, r, q, work, s, masked, shape, w)
            seen = s.masked_Q if masked else s.Q
            classify(q, work, s, seen, shape, w)
            for i in range(count):
                r = row + i
                loss += rows.loss_share[r] * cross_entropy(i, s, rows.y[r], shape, w)[0]
                softmax_gradient(i, s, rows.y[r], rows.loss_share[r], shape, w)
            classify_backward(count, q, g, s, seen, shape, w)
            for i in range(count):
                backward(i, row + i, g, work, s, masked, shape, w)
                if links is not None:
                    links_block_backward(i, row + i, rows.node[row + i], g, work, s, shape, w)
            fusion_weights_backward(row, count, rows, work, q, g, s, shape, w)
            row += count
            if H is not None and shape.rows_together > 0 and row == reduced:
                for number in range((2 * shape.K + 1) * H.blocks):
                    at = number * H.block * shape.z
                    add_gradient(H, first, reduced, number, s.grad_tile, at, work, shape, w)
        if H is not None and shape.rows_together > 0:
            for x in range(0, s.grad_tile.shape[0], len(w)):
                vstore(work.grad_reduce, chunk * s.grad_tile.shape[0] + x, vload(s.grad_tile, x, w))
        work.train_parts[chunk] = loss
        for x in range(0, size, len(w)):
            vstore(work.grad_rows, chunk * size + x, vload(s.grad_small, x, w))
        chunk = claim(team, ROWS)
    meet(team)


@inlined
def small_gradient(x: int, work: Work, size: int, shape: Shape, w: Width) -> Vec:
    """That of the small parameters from number x on: the sum of all chunks'."""
    total = splat(ZERO, w)
    localsim_size = localsim_weights(shape.z, w)
    if shape.localsim and x < localsim_size:
        for chunk in range(shape.similarity_chunks):
            total = total + vload(work.grad_localsim, chunk * localsim_size + x, w)
    else:
        for chunk in range(shape.train_chunks):
            total = total + vload(work.grad_rows, chunk * size + x, w)
    return total


@kernel
def step_small(p: Weights, state: State, work: Work, step: Step, shape: Shape, team: Team, w: Width) -> None:
    """Adam on the small parameters: a vector is a chunk."""
    size = p.small.shape[0]
    chunk = claim(team, WEIGHTS)
    while chunk < size // len(w):
        x = chunk * len(w)
        gradient = small_gradient(x, work, size, shape, w)
        adam(p.small, state.m1.small, state.m2.small, state.best.small, x, gradient, step)
        chunk = claim(team, WEIGHTS)
    meet(team)


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
    epoch: int, rows: ScoredRows, p: Weights, state: State, work: Work, hyper: Hyper, history: NDArray[np.float64],
    best: NDArray[np.float64], shape: Shape, team: Team,
) -> None:  # fmt: skip
    """Adds up what `evaluate` left, writes the epoch's line of `history`, and decides by the rule of
    `train/selection.py`: work.verdict = (best epoch, is it this one, is it the last)."""
    loss, correct = 0.0, 0.0
    for chunk in range(shape.val_chunks):
        loss += work.val_parts[2 * chunk]
        correct += work.val_parts[2 * chunk + 1]
    accuracy = correct / shape.val_rows
    history[epoch - 1, 1], history[epoch - 1, 2] = loss, accuracy
    score = accuracy if hyper.rule == ACCURACY else -loss
    if hyper.rule > ACCURACY:
        score = validation_score(rows, work, hyper, shape) if np.isfinite(loss) else np.nan
        history[epoch - 1, 3] = score
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


@entry_point("the CPU engine, about half a minute")
def run(
    job: int, narrow: Narrow | None, H: Panels | None, links: Links | None, rows: ScoredRows, p: Weights, q: Small,
    g: Small, state: State, work: Work, s: Scratch, hyper: Hyper, history: NDArray[np.float64],
    best: NDArray[np.float64], shape: Shape, team: Team, w: Width, wide: Width,
) -> int:  # fmt: skip
    """What each thread of the team runs, with its own g and s; returns the number of epochs run.

    Of `narrow` and `H` one is None, and without an adjacency embedding so is `links`: Numba leaves out what an argument
    of None can never reach, so that only the variant in use is compiled.

    TRAIN: p in place, the best weights in state.best, (train loss, val loss, val accuracy, the score of `hyper.rule`
    if it is a further one) per epoch in `history` [epochs, 4], the best epoch in work.verdict[0], 0 if there was no
    finite validation loss; `best` starts as (-∞, ∞). Whoever sets team.shared[STOP] ends it after the epoch under way.
    GRADIENT: the gradient of one step in state.m1. PREDICT: logits of all rows, as validation rows, in work.logits."""
    for epoch in range(hyper.epochs + 1):
        reduce_rows(narrow, H, links, rows, p, q, work, s, shape, team, w, wide)
        if epoch > 0 or job == PREDICT:  # score the weights of the step before
            if links is not None:
                norm_by_running(p, q, work, shape, team, w)
            if shape.reduce_norm == BY_BATCH:
                standardize_validation(p, work, shape, team, w)
            evaluate(H, links, rows, p, q, work, s, shape, team, w)
            if job == PREDICT:
                break
            if team.number == 0:
                judge(epoch, rows, p, state, work, hyper, history, best, shape, team)
            meet(team)
            if work.verdict[2]:
                return epoch
        if links is not None:
            norm_by_nodes(p, q, work, shape, team, w)
        if shape.reduce_norm == BY_BATCH:
            standardize_training(p, work, shape, team, w)
        salt = mixed(u32(u32(hyper.seed) ^ mixed(u32(epoch))))
        train_rows(H, links, rows, p, q, g, work, s, hyper.dropout, salt, shape, team, w)
        if team.number == 0:
            loss = 0.0
            for chunk in range(shape.train_chunks):
                loss += work.train_parts[chunk]
            history[epoch, 0] = loss
        if shape.hops > 0:
            smooth_backward(rows, work, shape, team)
        if shape.reduce_norm == BY_BATCH:
            standardize_backward(q, work, s.grad_small.shape[0], shape, team, w)
        step = make_step(hyper, epoch + 1, work.verdict[1] != 0, job == GRADIENT)
        if links is not None:
            sum_norm_gradient(g, work, s, shape, w)
            norm_backward(rows, g, work, shape, team, w)
            step_links(links, p, state, work, shape, step, team, w)
        if H is not None:
            step_dense(H, p, state, work, s, shape, step, team, w)
        if narrow is not None:
            step_narrow(narrow, p, state, work, s, shape, step, team, w, wide)
        if shape.localsim:
            localsim_backward(rows, q, work, shape, team, w)
        meet(team)
        step_small(p, state, work, step, shape, team, w)
        if job == GRADIENT:
            break
    return 0
