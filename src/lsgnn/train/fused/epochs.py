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
from lsgnn.train.fused.channel_norm import (
    BATCH,
    standardize_backward,
    standardize_training,
    standardize_validation,
)
from lsgnn.train.fused.dense import reduce_dense, step_dense
from lsgnn.train.fused.fusion import fusion_weights, fusion_weights_backward, localsim, localsim_backward
from lsgnn.train.fused.links import (
    embed_links,
    links_block,
    links_block_backward,
    norm_backward,
    norm_by_nodes,
    norm_by_running,
    step_links,
)
from lsgnn.train.fused.narrow import reduce_narrow, step_narrow
from lsgnn.train.fused.rows import (
    backward,
    cross_entropy,
    draw_mask,
    forward,
    softmax_gradient,
)
from lsgnn.train.fused.scores import ACCURACY, validation_score
from lsgnn.train.fused.smoothing import smooth, smooth_backward
from lsgnn.train.fused.structs import (
    Floats,
    Hyper,
    Links,
    Narrow,
    ScoredRows,
    Scratch,
    Shape,
    Small,
    State,
    Weights,
    Work,
)
from lsgnn.train.fused.vector import Width, vload

TRAIN, GRADIENT, PREDICT = 0, 1, 2

u32 = np.uint32


@inlined
def mixed(h: Any) -> Any:
    """Wellons' lowbias32: every bit of the result depends on every bit of h."""
    h = u32(u32(h ^ (h >> u32(16))) * u32(0x7FEB352D))
    h = u32(u32(h ^ (h >> u32(15))) * u32(0x846CA68B))
    return u32(h ^ (h >> u32(16)))


@kernel
def prepare(rows: ScoredRows, q: Small, work: Work, shape: Shape, w: Width) -> None:
    """What all rows share: LocalSim's perceptron at the distinct similarities, α's output weights transposed."""
    if shape.localsim:
        localsim(rows.similarity, q, work.f, shape, w)
        if shape.hops > 0:
            smooth(rows, work, shape)
        for a in range(3 * shape.K):
            for h in range(shape.z):
                work.al_out_T[h * shape.alphas + a] = q.al_out[a * shape.z + h]


@kernel
def evaluate(rows: ScoredRows, q: Small, work: Work, s: Scratch, shape: Shape, w: Width) -> tuple[float, float]:
    """(cross entropy, accuracy) of the validation rows, without dropout; keeps their logits if there is room."""
    loss, correct, masked = 0.0, 0, False
    for r in range(shape.train_rows, shape.train_rows + shape.val_rows):
        fusion_weights(r, rows, q, work, s, shape, w)
        if shape.n > 0:
            links_block(rows.node[r], work, s, shape, w)
        forward(r, work.Z, q, s, masked, shape, w)
        if work.logits.shape[0] > 0:
            for c in range(shape.C):
                work.logits[r * shape.C + c] = s.logit[c]
        row_loss, hit = cross_entropy(s, rows.y[r])
        loss += rows.loss_share[r] * row_loss
        correct += hit
    return loss, correct / shape.val_rows


@kernel
def train_rows(
    rows: ScoredRows, q: Small, g: Small, work: Work, s: Scratch, dropout: float, salt: int, shape: Shape, w: Width
) -> float:
    """The training loss; its gradient goes into g (small parameters) and the training rows of work.Z."""
    loss, masked = 0.0, dropout > 0
    for x in range(work.grad_small.shape[0]):
        work.grad_small[x] = 0
    for x in range(work.grad_f.shape[0]):
        work.grad_f[x] = 0
    for x in range(work.grad_phi.shape[0]):
        work.grad_phi[x] = 0
    for r in range(shape.train_rows):
        if masked:
            base = mixed(u32(salt ^ u32(rows.node[r] * u32(0x9E3779B9))))
            draw_mask(s, base, dropout, shape.blocks * shape.z, w)
        fusion_weights(r, rows, q, work, s, shape, w)
        if shape.n > 0:
            links_block(rows.node[r], work, s, shape, w)
        forward(r, work.Z, q, s, masked, shape, w)
        loss += rows.loss_share[r] * cross_entropy(s, rows.y[r])[0]
        softmax_gradient(s, rows.y[r], rows.loss_share[r])
        backward(r, work.Z, q, g, s, masked, shape, w)
        if shape.n > 0:
            links_block_backward(r, work, s, shape, w)
        fusion_weights_backward(r, rows, q, g, work, s, shape, w)
    if shape.hops > 0:
        smooth_backward(rows, work, shape)
    if shape.localsim:
        localsim_backward(rows.similarity, rows.train_similarities, work.grad_f, q, g, shape, w)
    if shape.n > 0:
        norm_backward(rows, g, work, shape, w)
    if shape.reduce_norm == BATCH:
        standardize_backward(q, g, work, shape, w)
    return loss


@inlined
def step_small(p: Weights, state: State, grad: Floats, step: Step, w: Width) -> None:
    for x in range(0, grad.shape[0], len(w)):
        adam(p.small, state.m1.small, state.m2.small, state.best.small, x, vload(grad, x, w), step)


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


@entry_point("the CPU engine, 10 to 20 s")
def run(
    job: int,
    narrow: Narrow,
    H: Floats,
    links: Links,
    rows: ScoredRows,
    p: Weights,
    q: Small,
    g: Small,
    state: State,
    work: Work,
    s: Scratch,
    hyper: Hyper,
    history: NDArray[np.float64],
    shape: Shape,
    w: Width,
) -> tuple[int, int]:
    """TRAIN: p in place, the best weights in state.best, (train loss, val loss, val accuracy, the score of `hyper.rule`
    if it is a further one) per epoch in `history` [epochs, 4]; returns (best epoch, epochs run), the first 0 if there
    was no finite validation loss.
    GRADIENT: the gradient of one step in state.m1. PREDICT: logits of all rows, as validation rows, in work.logits."""
    best, loss_of_best, best_epoch, keep = -np.inf, np.inf, 0, False
    for epoch in range(hyper.epochs + 1):
        if shape.dense:
            reduce_dense(H, p, work, shape, w)
        else:
            reduce_narrow(narrow, p, work, shape)
        prepare(rows, q, work, shape, w)
        if shape.n > 0:
            embed_links(links, p, q, work, shape, w)
        if epoch > 0 or job == PREDICT:  # score the weights of the step before
            if shape.n > 0:
                norm_by_running(p, q, work, shape, w)
            if shape.reduce_norm == BATCH:
                standardize_validation(p, work, shape, w)
            loss, accuracy = evaluate(rows, q, work, s, shape, w)
            if job == PREDICT:
                break
            history[epoch - 1, 1], history[epoch - 1, 2] = loss, accuracy
            score = accuracy if hyper.rule == ACCURACY else -loss  # the rule of `train/selection.py`
            if hyper.rule > ACCURACY:
                score = validation_score(rows, work, hyper, shape) if np.isfinite(loss) else np.nan
                history[epoch - 1, 3] = score
            keep = loss == loss and (score > best or (score == best and loss < loss_of_best))
            if keep:
                best, loss_of_best, best_epoch = score, loss, epoch
            if epoch == hyper.epochs or (hyper.patience > 0 and epoch - best_epoch >= hyper.patience):
                if keep:
                    copy(p, state.best)
                return best_epoch, epoch
        if keep:
            copy_running(p, state.best)  # Adam keeps the rest
        if shape.n > 0:
            norm_by_nodes(p, q, work, shape, w)
        if shape.reduce_norm == BATCH:
            standardize_training(p, work, shape, w)
        salt = mixed(u32(u32(hyper.seed) ^ mixed(u32(epoch))))
        history[epoch, 0] = train_rows(rows, q, g, work, s, hyper.dropout, salt, shape, w)
        step = make_step(hyper, epoch + 1, keep, job == GRADIENT)
        if shape.dense:
            step_dense(H, p, state, work, shape, step, w)
        else:
            step_narrow(narrow, p, state, work, shape, step)
        if shape.n > 0:
            step_links(links, p, state, work, shape, step, w)
        step_small(p, state, work.grad_small, step, w)
        if job == GRADIENT:
            break
    return 0, 0
