"""The adjacency embedding: ReLU(BatchNorm(A W + b)), one more block of z columns for every row.

The normalisation is over all n nodes, so that this part is not row-local: A W + b is formed once per epoch (`work.L`),
and every node, scored or not, gets a share of the gradient through the mean and the variance. With x̂ the normalised
columns, g the gradient at γ x̂ + β and sums over all nodes,

    g_L = γ / σ · (g − Σ g / n − x̂ · Σ g x̂ / n)

The bias b has no gradient (the mean takes it out again); weight decay may still shrink it.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.adam import Step, adam
from lsgnn.train.fused.structs import Links, ScoredRows, Scratch, Shape, Small, State, Weights, Work
from lsgnn.train.fused.vector import Vec, Width, at, splat, vload, vsqrt, vstore, where_positive

ZERO, ONE = np.float32(0), np.float32(1)
EPSILON, MOMENTUM = np.float32(1e-5), np.float32(0.1)  # torch's defaults
BLOCK = 256  # rows summed up on their own, so that long sums keep their digits


@kernel
def embed_links(links: Links, p: Weights, q: Small, work: Work, shape: Shape, w: Width) -> None:
    """L [n, z] = A W + b"""
    z, A = shape.z, links.A
    for r in range(shape.n):
        for t in range(0, z, len(w)):
            total = vload(q.links_bias, t, w)
            for e in range(A.start[r], A.start[r + 1]):
                total = total + at(A.value, e) * vload(p.links, A.column[e] * z + t, w)
            vstore(work.L, r * z + t, total)


@inlined
def set_norm(q: Small, work: Work, t: int, mean: Vec, variance: Vec, shape: Shape, w: Width) -> None:
    """Rows of work.norm [4, z]: mean, 1/σ, and the scale and shift that do all of BatchNorm in one go."""
    z = shape.z
    inverse = splat(ONE, w) / vsqrt(variance + EPSILON)
    scale = vload(q.norm_weight, t, w) * inverse
    vstore(work.norm, t, mean)
    vstore(work.norm, z + t, inverse)
    vstore(work.norm, 2 * z + t, scale)
    vstore(work.norm, 3 * z + t, vload(q.norm_bias, t, w) - mean * scale)


@kernel
def norm_by_running(p: Weights, q: Small, work: Work, shape: Shape, w: Width) -> None:
    """For evaluation: the averages of the training steps so far."""
    for t in range(0, shape.z, len(w)):
        set_norm(q, work, t, vload(p.running, t, w), vload(p.running, shape.z + t, w), shape, w)


@kernel
def norm_by_nodes(p: Weights, q: Small, work: Work, shape: Shape, w: Width) -> None:
    """For a training step: mean and variance over all nodes, towards which the running ones move."""
    n, z = shape.n, shape.z
    for t in range(0, z, len(w)):
        total = splat(ZERO, w)
        for start in range(0, n, BLOCK):
            part = splat(ZERO, w)
            for r in range(start, min(start + BLOCK, n)):
                part = part + vload(work.L, r * z + t, w)
            total = total + part
        mean, total = total * np.float32(1 / n), splat(ZERO, w)
        for start in range(0, n, BLOCK):
            part = splat(ZERO, w)
            for r in range(start, min(start + BLOCK, n)):
                x = vload(work.L, r * z + t, w) - mean
                part = part + x * x
            total = total + part
        unbiased = total * np.float32(1 / (n - 1))
        vstore(p.running, t, (ONE - MOMENTUM) * vload(p.running, t, w) + MOMENTUM * mean)
        vstore(p.running, z + t, (ONE - MOMENTUM) * vload(p.running, z + t, w) + MOMENTUM * unbiased)
        set_norm(q, work, t, mean, total * np.float32(1 / n), shape, w)


@inlined
def links_block(node: int, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """The last block of a row, into s.Q."""
    z = shape.z
    for t in range(0, z, len(w)):
        y = vload(work.L, node * z + t, w) * vload(work.norm, 2 * z + t, w) + vload(work.norm, 3 * z + t, w)
        vstore(s.Q, (shape.K + 1) * z + t, where_positive(y, y))


@inlined
def links_block_backward(r: int, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """From the gradient at the last block (where `backward` left it, in s.mask) to that before ReLU, into work.G."""
    first = (shape.K + 1) * shape.z
    for t in range(0, shape.z, len(w)):
        gradient = where_positive(vload(s.Q, first + t, w), vload(s.mask, first + t, w))
        vstore(work.G, r * shape.z + t, gradient)


@kernel
def norm_backward(rows: ScoredRows, g: Small, work: Work, shape: Shape, w: Width) -> None:
    """From the training rows' gradients (work.G) to that of all nodes, in the place of L."""
    n, z = shape.n, shape.z
    for t in range(0, z, len(w)):
        mean, inverse, scale = vload(work.norm, t, w), vload(work.norm, z + t, w), vload(work.norm, 2 * z + t, w)
        sum_g, sum_gx = splat(ZERO, w), splat(ZERO, w)
        for r in range(shape.train_rows):
            gradient = vload(work.G, r * z + t, w)
            sum_g = sum_g + gradient
            sum_gx = sum_gx + gradient * ((vload(work.L, rows.node[r] * z + t, w) - mean) * inverse)
        vstore(g.norm_bias, t, sum_g)
        vstore(g.norm_weight, t, sum_gx)
        constant, slope = sum_g * np.float32(-1 / n), sum_gx * np.float32(-1 / n)
        for r in range(n):
            x = (vload(work.L, r * z + t, w) - mean) * inverse
            vstore(work.L, r * z + t, (constant + slope * x) * scale)
        for r in range(shape.train_rows):
            L = rows.node[r] * z + t
            vstore(work.L, L, vload(work.L, L, w) + scale * vload(work.G, r * z + t, w))


@kernel
def step_links(links: Links, p: Weights, state: State, work: Work, shape: Shape, step: Step, w: Width) -> None:
    """Adam on W, whose gradient is Aᵀ times that of L."""
    z, AT = shape.z, links.AT
    for c in range(shape.n):
        for t in range(0, z, len(w)):
            gradient = splat(ZERO, w)
            for e in range(AT.start[c], AT.start[c + 1]):
                gradient = gradient + at(AT.value, e) * vload(work.L, AT.column[e] * z + t, w)
            adam(p.links, state.m1.links, state.m2.links, state.best.links, c * z + t, gradient, step)
