"""LocalSim averaged over neighbourhoods: φᵏ⁺¹ = P φᵏ, with P the mean over a node and its neighbours.

A row then depends on the φ of other nodes. So φ⁰ … φʰ of all nodes are formed once per epoch (`work.phi`) and handed to
the rows; the gradient goes the same way back, by Pᵀ. Formed before training, Pʰ times the shares would not fit in
memory: a node shares the similarities of all that its neighbours read.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.structs import Csr, Floats, ScoredRows, Shape, Work
from lsgnn.train.fused.team import NODES, Team, bounds, claim, meet

ZERO = np.float32(0)


@inlined
def row_product(m: Csr, r: int, x: Floats, base: int) -> float:
    """Row r of m times x[base:]."""
    total = ZERO
    for e in range(m.start[r], m.start[r + 1]):
        total += m.value[e] * x[base + m.column[e]]
    return total  # type: ignore[return-value]


@kernel
def multiply_nodes(m: Csr, x: Floats, x_at: int, out: Floats, out_at: int, shape: Shape, team: Team) -> None:
    """out[out_at:] = m · x[x_at:], a number for every node."""
    chunk = claim(team, NODES)
    while chunk < shape.node_chunks:
        first, end = bounds(chunk, shape.node_chunks, shape.smoothed)
        for i in range(first, end):
            out[out_at + i] = row_product(m, i, x, x_at)
        chunk = claim(team, NODES)
    meet(team)


@kernel
def smooth(rows: ScoredRows, work: Work, shape: Shape, team: Team) -> None:
    """φ⁰ … φʰ of all nodes, from LocalSim's perceptron at the distinct similarities."""
    n = shape.smoothed
    multiply_nodes(rows.share, work.f, 0, work.phi, 0, shape, team)
    for k in range(shape.hops):
        multiply_nodes(rows.smoothing.step, work.phi, k * n, work.phi, (k + 1) * n, shape, team)


@kernel
def smooth_backward(rows: ScoredRows, work: Work, shape: Shape, team: Team) -> None:
    """From the gradient at φ⁰ … φʰ of the training rows (work.grad_phi, zero at all other nodes) to that at φ⁰ of all
    nodes, through which alone the others reach the weights: in the place of φ⁰, by way of that of φʰ⁻¹ … φ¹."""
    n, step_T, later = shape.smoothed, rows.smoothing.step_T, work.grad_phi
    for k in range(shape.hops - 1, -1, -1):
        chunk = claim(team, NODES)
        while chunk < shape.node_chunks:
            first, end = bounds(chunk, shape.node_chunks, n)
            for i in range(first, end):
                work.phi[k * n + i] = work.grad_phi[k * n + i] + row_product(step_T, i, later, (k + 1) * n)
            chunk = claim(team, NODES)
        later = work.phi
        meet(team)
