"""LocalSim averaged over neighbourhoods: φᵏ⁺¹ = P φᵏ, with P the mean over a node and its neighbours.

A row then depends on the φ of other nodes. So φ⁰ … φʰ of all nodes are formed once per epoch (`work.phi`) and handed to
the rows; the gradient goes the same way back, by Pᵀ. Formed before training, Pʰ times the shares would not fit in
memory: a node shares the similarities of all that its neighbours read.
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.structs import Csr, Floats, ScoredRows, Shape, Work

ZERO = np.float32(0)


@inlined
def row_product(m: Csr, r: int, x: Floats, base: int) -> float:
    """Row r of m times x[base:]."""
    total = ZERO
    for e in range(m.start[r], m.start[r + 1]):
        total += m.value[e] * x[base + m.column[e]]
    return total  # type: ignore[return-value]


@kernel
def smooth(rows: ScoredRows, work: Work, shape: Shape) -> None:
    """φ⁰ … φʰ of all nodes, from LocalSim's perceptron at the distinct similarities."""
    share, step = rows.smoothing.share, rows.smoothing.step
    n = step.rows.shape[0]
    for i in range(n):
        work.phi[i] = row_product(share, i, work.f, 0)
    for k in range(shape.hops):
        for i in range(n):
            work.phi[(k + 1) * n + i] = row_product(step, i, work.phi, k * n)


@kernel
def smooth_backward(rows: ScoredRows, work: Work, shape: Shape) -> None:
    """From the gradient at φ⁰ … φʰ of the training rows (work.grad_phi) to that at the similarities (work.grad_f)."""
    share, step_T = rows.smoothing.share, rows.smoothing.step_T
    n = step_T.rows.shape[0]
    for k in range(shape.hops, 0, -1):
        for i in range(n):
            work.grad_phi[(k - 1) * n + i] += row_product(step_T, i, work.grad_phi, k * n)
    for i in range(n):
        for e in range(share.start[i], share.start[i + 1]):
            work.grad_f[share.column[e]] += work.grad_phi[i] * share.value[e]
