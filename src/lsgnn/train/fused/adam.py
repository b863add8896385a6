"""Adam and AdamW, on a vector at a time, so that a gradient can be used the moment it is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lsgnn.compiled import inlined
from lsgnn.train.fused.structs import Floats, Hyper
from lsgnn.train.fused.vector import Vec, vload_like, vsqrt, vstore

BETA1, BETA2, EPSILON = np.float32(0.9), np.float32(0.999), np.float32(1e-8)  # torch's defaults
ONE = np.float32(1)


class Step(NamedTuple):
    """What one optimiser step needs besides the gradient."""

    size: np.float32  # lr / (1 - β₁ᵗ)
    correction: np.float32  # 1 / √(1 - β₂ᵗ)
    coupled_decay: np.float32
    shrink: np.float32
    keep: bool  # the weights before this step are the best so far: remember them
    only_gradient: bool  # store the gradient as the first moment and change nothing (for tests)


@inlined
def make_step(hyper: Hyper, t: int, keep: bool, only_gradient: bool) -> Step:
    size = np.float32(hyper.lr / (1 - 0.9**t))
    correction = np.float32(1 / np.sqrt(1 - 0.999**t))
    return Step(size, correction, hyper.coupled_decay, hyper.shrink, keep, only_gradient)


@inlined
def adam(p: Floats, m1: Floats, m2: Floats, best: Floats, at: int, g: Vec, step: Step) -> None:
    """One step on p[at:], given its gradient; `best` is written on the way because p is at hand anyway."""
    if step.only_gradient:
        vstore(m1, at, g)
    else:
        x = vload_like(p, at, g)
        if step.keep:
            vstore(best, at, x)
        g = g + step.coupled_decay * x
        m = BETA1 * vload_like(m1, at, g) + (ONE - BETA1) * g
        v = BETA2 * vload_like(m2, at, g) + (ONE - BETA2) * (g * g)
        vstore(m1, at, m)
        vstore(m2, at, v)
        vstore(p, at, step.shrink * x - step.size * m / (vsqrt(v) * step.correction + EPSILON))
