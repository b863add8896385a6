"""Adam on the small parameters, whose gradient the chunks of rows and of similarities have left in parts."""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.adam import Step, adam
from lsgnn.train.fused.fusion import localsim_weights
from lsgnn.train.fused.structs import Shape, State, Weights, Work
from lsgnn.train.fused.team import WEIGHTS, Team, claim, meet
from lsgnn.train.fused.vector import Vec, Width, splat, vload

ZERO = np.float32(0)


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
