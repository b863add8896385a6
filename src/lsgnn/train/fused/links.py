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
from lsgnn.train.fused.team import NODES, ROWS, Team, bounds, claim, meet
from lsgnn.train.fused.vector import Vec, Width, at, splat, vload, vsqrt, vstore, where_positive

ZERO, ONE = np.float32(0), np.float32(1)
EPSILON, MOMENTUM = np.float32(1e-5), np.float32(0.1)  # torch's defaults


@kernel
def embed_links(links: Links, p: Weights, q: Small, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """L [n, z] = A W + b"""
    z, A = shape.z, links.A
    chunk = claim(team, NODES)
    while chunk < shape.node_chunks:
        first, end = bounds(chunk, shape.node_chunks, shape.n)
        for r in range(first, end):
            for t in range(0, z, len(w)):
                total = vload(q.links_bias, t, w)
                for e in range(A.start[r], A.start[r + 1]):
                    total = total + at(A.value, e) * vload(p.links, A.column[e] * z + t, w)
                vstore(work.L, r * z + t, total)
        chunk = claim(team, NODES)


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
def norm_by_running(p: Weights, q: Small, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """For evaluation: the averages of the training steps so far."""
    if team.number == 0:
        for t in range(0, shape.z, len(w)):
            set_norm(q, work, t, vload(p.running, t, w), vload(p.running, shape.z + t, w), shape, w)
    meet(team)


@kernel
def norm_by_nodes(p: Weights, q: Small, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """For a training step: mean and variance over all nodes, towards which the running ones move."""
    n, z = shape.n, shape.z
    sum_over_nodes(work, shape, False, team, w)
    meet(team)
    if team.number == 0:
        for t in range(0, z, len(w)):
            vstore(work.norm, t, total_of_parts(work, t, shape, w) * np.float32(1 / n))
    meet(team)
    sum_over_nodes(work, shape, True, team, w)
    meet(team)
    if team.number == 0:
        for t in range(0, z, len(w)):
            mean, total = vload(work.norm, t, w), total_of_parts(work, t, shape, w)
            unbiased = total * np.float32(1 / (n - 1))
            vstore(p.running, t, (ONE - MOMENTUM) * vload(p.running, t, w) + MOMENTUM * mean)
            vstore(p.running, z + t, (ONE - MOMENTUM) * vload(p.running, z + t, w) + MOMENTUM * unbiased)
            set_norm(q, work, t, mean, total * np.float32(1 / n), shape, w)
    meet(team)


@inlined
def sum_over_nodes(work: Work, shape: Shape, squares: bool, team: Team, w: Width) -> None:
    """Each chunk's sum of L, or of its squared distance from the mean in work.norm, into work.norm_parts."""
    z = shape.z
    chunk = claim(team, NODES)
    while chunk < shape.node_chunks:
        first, end = bounds(chunk, shape.node_chunks, shape.n)
        for t in range(0, z, len(w)):
            total, mean = splat(ZERO, w), vload(work.norm, t, w)
            for r in range(first, end):
                x = vload(work.L, r * z + t, w)
                if squares:
                    x = (x - mean) * (x - mean)
                total = total + x
            vstore(work.norm_parts, chunk * z + t, total)
        chunk = claim(team, NODES)


@inlined
def total_of_parts(work: Work, t: int, shape: Shape, w: Width) -> Vec:
    total = splat(ZERO, w)
    for chunk in range(shape.node_chunks):
        total = total + vload(work.norm_parts, chunk * shape.z + t, w)
    return total


@inlined
def links_block(i: int, node: int, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """The last block of row i of a batch, into s.Q."""
    z, block = shape.z, (i * shape.blocks + shape.K + 1) * shape.z
    for t in range(0, z, len(w)):
        y = vload(work.L, node * z + t, w) * vload(work.norm, 2 * z + t, w) + vload(work.norm, 3 * z + t, w)
        vstore(s.Q, block + t, where_positive(y, y))


@inlined
def links_block_backward(i: int, r: int, node: int, g: Small, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """From the gradient at the last block (in s.grad_Q) to that before ReLU, into work.G; γ and β get theirs in g."""
    z, block = shape.z, (i * shape.blocks + shape.K + 1) * shape.z
    for t in range(0, z, len(w)):
        gradient = where_positive(vload(s.Q, block + t, w), vload(s.grad_Q, block + t, w))
        x = (vload(work.L, node * z + t, w) - vload(work.norm, t, w)) * vload(work.norm, z + t, w)
        vstore(work.G, r * z + t, gradient)
        vstore(g.norm_bias, t, vload(g.norm_bias, t, w) + gradient)
        vstore(g.norm_weight, t, vload(g.norm_weight, t, w) + gradient * x)


@kernel
def sum_norm_gradient(g: Small, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """γ's and β's gradients, the sums of all chunks', into g: every thread for itself."""
    size = s.grad_small.shape[0]
    weight, bias = shape.links_norm_at, shape.links_norm_at + shape.z
    for t in range(0, shape.z, len(w)):
        sum_weight, sum_bias = splat(ZERO, w), splat(ZERO, w)
        for chunk in range(shape.train_chunks):
            sum_weight = sum_weight + vload(work.grad_rows, chunk * size + weight + t, w)
            sum_bias = sum_bias + vload(work.grad_rows, chunk * size + bias + t, w)
        vstore(g.norm_weight, t, sum_weight)
        vstore(g.norm_bias, t, sum_bias)


@kernel
def norm_backward(rows: ScoredRows, g: Small, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """From the training rows' gradients (work.G, and their sums in g) to that of all nodes, in the place of L."""
    n, z = shape.n, shape.z
    chunk = claim(team, NODES)
    while chunk < shape.node_chunks:
        first, end = bounds(chunk, shape.node_chunks, n)
        for t in range(0, z, len(w)):
            mean, inverse, scale = vload(work.norm, t, w), vload(work.norm, z + t, w), vload(work.norm, 2 * z + t, w)
            constant = vload(g.norm_bias, t, w) * np.float32(-1 / n)
            slope = vload(g.norm_weight, t, w) * np.float32(-1 / n)
            for r in range(first, end):
                x = (vload(work.L, r * z + t, w) - mean) * inverse
                vstore(work.L, r * z + t, (constant + slope * x) * scale)
        chunk = claim(team, NODES)
    meet(team)
    chunk = claim(team, ROWS)
    while chunk < shape.train_chunks:
        first, end = bounds(chunk, shape.train_chunks, shape.train_rows)
        for r in range(first, end):
            for t in range(0, z, len(w)):
                x, scale = rows.node[r] * z + t, vload(work.norm, 2 * z + t, w)
                vstore(work.L, x, vload(work.L, x, w) + scale * vload(work.G, r * z + t, w))
        chunk = claim(team, ROWS)
    meet(team)


@kernel
def step_links(
    links: Links, p: Weights, state: State, work: Work, shape: Shape, step: Step, team: Team, w: Width
) -> None:
    """Adam on W, whose gradient is Aᵀ times that of L."""
    z, AT = shape.z, links.AT
    chunk = claim(team, NODES)
    while chunk < shape.node_chunks:
        first, end = bounds(chunk, shape.node_chunks, shape.n)
        for c in range(first, end):
            for t in range(0, z, len(w)):
                gradient = splat(ZERO, w)
                for e in range(AT.start[c], AT.start[c + 1]):
                    gradient = gradient + at(AT.value, e) * vload(work.L, AT.column[e] * z + t, w)
                adam(p.links, state.m1.links, state.m2.links, state.best.links, c * z + t, gradient, step)
        chunk = claim(team, NODES)
