"""The training loop: what every thread of a team runs.

An epoch is a reduction, a look at the validation rows, and a step on the training rows. Dropout comes after the
reduction, so the reduction that a step needs is also the one that scores the weights of the step before: T epochs cost
T + 1 reductions.
"""

from __future__ import annotations

from typing import NamedTuple

from lsgnn.compiled import entry_point, inlined, kernel
from lsgnn.train.fused.adam import make_step
from lsgnn.train.fused.channel_norm import standardize_backward, standardize_training, standardize_validation
from lsgnn.train.fused.dense import reduce_dense, step_dense
from lsgnn.train.fused.fusion import localsim, localsim_backward
from lsgnn.train.fused.judge import judge
from lsgnn.train.fused.links import (
    embed_links,
    norm_backward,
    norm_by_nodes,
    norm_by_running,
    step_links,
    sum_norm_gradient,
)
from lsgnn.train.fused.narrow import reduce_narrow, step_narrow
from lsgnn.train.fused.row_norm import BY_BATCH
from lsgnn.train.fused.small_step import step_small
from lsgnn.train.fused.smoothing import smooth, smooth_backward
from lsgnn.train.fused.stage_call import call
from lsgnn.train.fused.structs import (
    Floats,
    Hyper,
    Links,
    Log,
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
from lsgnn.train.fused.team import Team, meet
from lsgnn.train.fused.vector import Width

TRAIN, GRADIENT, PREDICT = 0, 1, 2


class Stages(NamedTuple):
    """Addresses of what `row_stages.py` holds."""

    evaluate: int
    train_rows: int


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


@entry_point(None)
def run(
    job: int, stages: Stages, narrow: Narrow | None, H: Panels | None, links: Links | None, rows: ScoredRows,
    p: Weights, q: Small, g: Small, state: State, work: Work, s: Scratch, hyper: Hyper, log: Log, shape: Shape,
    team: Team, w: Width, wide: Width,
) -> int:  # fmt: skip
    """What each thread of the team runs, with its own g and s; returns the number of epochs run.

    Of `narrow` and `H` one is None, and without an adjacency embedding so is `links`: Numba leaves out what an argument
    of None can never reach, so that only the variant in use is compiled.

    TRAIN: p in place, the best weights in state.best, a line per epoch in `log`, the best epoch in work.verdict[0],
    0 if there was no finite validation loss. Whoever sets team.shared[STOP] ends it after the epoch under way.
    GRADIENT: the gradient of one step in state.m1. PREDICT: logits of all rows, as validation rows, in work.logits."""
    for epoch in range(hyper.epochs + 1):
        reduce_rows(narrow, H, links, rows, p, q, work, s, shape, team, w, wide)
        if epoch > 0 or job == PREDICT:  # score the weights of the step before
            if links is not None:
                norm_by_running(p, q, work, shape, team, w)
            if shape.reduce_norm == BY_BATCH:
                standardize_validation(p, work, shape, team, w)
            call(stages.evaluate, (H, links, rows, p, q, work, s, shape, team, w))
            if job == PREDICT:
                break
            if team.number == 0:
                judge(epoch, rows, p, state, work, hyper, log, shape, team)
            meet(team)
            if work.verdict[2]:
                return epoch
        if links is not None:
            norm_by_nodes(p, q, work, shape, team, w)
        if shape.reduce_norm == BY_BATCH:
            standardize_training(p, work, shape, team, w)
        call(stages.train_rows, (H, links, rows, p, q, g, work, s, hyper, epoch, shape, team, w))
        if team.number == 0:
            loss = 0.0
            for chunk in range(shape.train_chunks):
                loss += work.train_parts[chunk]
            log.history[4 * epoch] = loss
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
