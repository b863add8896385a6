"""The fusion weights α of a row: LocalSim's perceptron, α's perceptron, and their gradients written out.

LocalSim is a mean over neighbours of a function of one number, and many edges share a similarity: `localsim` evaluates
the perceptron once per distinct similarity, and `fusion_weights` takes each row's mean. SiLU is y = x σ(x), with the
slope σ (1 + x (1 − σ)).
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined, kernel
from lsgnn.train.fused.outer_products import add_outer_products
from lsgnn.train.fused.smoothing import row_product
from lsgnn.train.fused.structs import ScoredRows, Scratch, Shape, Small, Work
from lsgnn.train.fused.team import SIMILARITIES, Team, bounds, claim
from lsgnn.train.fused.vector import BATCH, Vec, Width, splat, vload, vstore, vsum
from lsgnn.train.fused.vector_functions import vsigmoid

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)


@inlined
def silu_slope(x: Vec, sigmoid: Vec) -> Vec:
    return sigmoid * (x * (ONE - sigmoid) + ONE)


@inlined
def read_columns(i: int, r: int, rows: ScoredRows, work: Work, s: Scratch, shape: Shape) -> None:
    """What the weights of row r, number i of its batch, are made of, into s.phi: its refined LocalSim, averages of it,
    its degree."""
    column = i * shape.columns
    if shape.hops == 0:
        s.phi[column] = row_product(rows.share, r, work.f, 0)
    else:
        for k in range(shape.hops + 1):
            s.phi[column + k] = work.phi[k * shape.smoothed + rows.node[r]]
    if rows.log_degree.shape[0] > 0:
        s.phi[column + shape.columns - 1] = rows.log_degree[r]


@inlined
def fusion_weights(
    first: int, count: int, rows: ScoredRows, work: Work, q: Small, s: Scratch, shape: Shape, w: Width
) -> None:
    """α of a batch of rows into s.alpha: from their refined LocalSim φ, or the same for the whole graph."""
    z, A = shape.z, shape.alphas
    for i in range(count):
        for t in range(0, A, len(w)):
            vstore(s.alpha, i * A + t, vload(q.al_out_bias, t, w))
    if not shape.localsim:
        return
    for i in range(count):
        read_columns(i, first + i, rows, work, s, shape)
        phi = s.phi[i * shape.columns]
        for t in range(0, z, len(w)):
            x = phi * vload(q.al_in, t, w) + (phi * phi) * vload(q.al_in, z + t, w) + vload(q.al_bias, t, w)
            for c in range(1, shape.columns):
                other, a = s.phi[i * shape.columns + c], 2 * c * z + t
                x = x + other * vload(q.al_in, a, w) + (other * other) * vload(q.al_in, a + z, w)
            sigmoid = vsigmoid(x)
            vstore(s.hidden_in, i * z + t, x)
            vstore(s.sigmoid, i * z + t, sigmoid)
            vstore(s.hidden, i * z + t, x * sigmoid)
    for t in range(0, A, len(w)):  # α += hidden · al_outᵀ
        add_outer_products(
            s.hidden, 0, (0, 1, z), work.al_out_T, t, (0, A), s.alpha, t, A, (1, z), False, BATCH, w, None
        )  # fmt: skip


@inlined
def fusion_weights_backward(
    first: int, count: int, rows: ScoredRows, work: Work, q: Small, g: Small, s: Scratch, shape: Shape, w: Width
) -> None:
    """From the gradient at α (s.grad_alpha) of a batch: α's perceptron into g, φ and its means into work.grad_phi."""
    z, A = shape.z, shape.alphas
    for i in range(count):
        for t in range(0, A, len(w)):
            vstore(g.al_out_bias, t, vload(g.al_out_bias, t, w) + vload(s.grad_alpha, i * A + t, w))
    if not shape.localsim:
        return
    for t in range(0, z, len(w)):
        add_outer_products(
            s.grad_alpha, 0, (0, 1, A), q.al_out, t, (0, z), s.grad_hidden, t, z, (1, 3 * shape.K), True, BATCH, w, None
        )  # fmt: skip
        for a in range(0, A, len(BATCH)):  # g.al_out += grad_alphaᵀ · hidden
            add_outer_products(
                s.grad_alpha, a, (0, A, 1), s.hidden, t, (0, z), g.al_out, a * z + t, z, (1, count), False,
                BATCH, w, None,
            )  # fmt: skip
    for i in range(count):
        phi, grad_phi = s.phi[i * shape.columns], ZERO
        for c in range(1, shape.columns):
            s.grad_phi[c] = ZERO
        for t in range(0, z, len(w)):
            slope = silu_slope(vload(s.hidden_in, i * z + t, w), vload(s.sigmoid, i * z + t, w))
            grad = vload(s.grad_hidden, i * z + t, w) * slope
            vstore(g.al_bias, t, vload(g.al_bias, t, w) + grad)
            vstore(g.al_in, t, vload(g.al_in, t, w) + phi * grad)
            vstore(g.al_in, z + t, vload(g.al_in, z + t, w) + (phi * phi) * grad)
            grad_phi += vsum(grad * (vload(q.al_in, t, w) + (TWO * phi) * vload(q.al_in, z + t, w)))
            for c in range(1, shape.columns):
                other, a = s.phi[i * shape.columns + c], 2 * c * z + t
                vstore(g.al_in, a, vload(g.al_in, a, w) + other * grad)
                vstore(g.al_in, a + z, vload(g.al_in, a + z, w) + (other * other) * grad)
                s.grad_phi[c] += vsum(grad * (vload(q.al_in, a, w) + (TWO * other) * vload(q.al_in, a + z, w)))
        if shape.hops == 0:
            work.grad_phi[first + i] = grad_phi
        else:
            node = rows.node[first + i]
            work.grad_phi[node] = grad_phi
            for k in range(1, shape.hops + 1):
                work.grad_phi[k * shape.smoothed + node] = s.grad_phi[k]


@kernel
def localsim(rows: ScoredRows, q: Small, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """f = MLP([d, d²]) at the distinct similarities."""
    z, U = shape.z, rows.similarity.shape[0]
    chunk = claim(team, SIMILARITIES)
    while chunk < shape.similarity_chunks:
        first, end = bounds(chunk, shape.similarity_chunks, U)
        for u in range(first, end):
            d, total = rows.similarity[u], splat(ZERO, w)
            for t in range(0, z, len(w)):
                x = d * vload(q.ls_in, t, w) + (d * d) * vload(q.ls_in, z + t, w) + vload(q.ls_bias, t, w)
                total = total + vload(q.ls_out, t, w) * x * vsigmoid(x)
            work.f[u] = vsum(total) + q.ls_out_bias[0]
        chunk = claim(team, SIMILARITIES)


@kernel
def localsim_backward(rows: ScoredRows, q: Small, work: Work, shape: Shape, team: Team, w: Width) -> None:
    """From the rows' gradients at φ to that of the perceptron, a part for each chunk of similarities. Recomputes the
    hidden layer: to store it would take [U, z] floats, and U may be the number of edges."""
    z, share_T, grad_phi = shape.z, rows.share_T, work.phi if shape.hops > 0 else work.grad_phi
    U = share_T.rows.shape[0]
    chunk = claim(team, SIMILARITIES)
    while chunk < shape.similarity_chunks:
        first, end = bounds(chunk, shape.similarity_chunks, U)
        at = chunk * localsim_weights(z, w)
        total = ZERO
        for u in range(first, end):
            grad = row_product(share_T, u, grad_phi, 0)
            work.f[u] = grad  # f has done its duty in this epoch
            total += grad
        for t in range(0, z, len(w)):
            in_d, in_d2 = vload(q.ls_in, t, w), vload(q.ls_in, z + t, w)
            bias, out = vload(q.ls_bias, t, w), vload(q.ls_out, t, w)
            g_d, g_d2, g_bias, g_out = splat(ZERO, w), splat(ZERO, w), splat(ZERO, w), splat(ZERO, w)
            for u in range(first, end):
                d, grad = rows.similarity[u], work.f[u]
                x = d * in_d + (d * d) * in_d2 + bias
                sigmoid = vsigmoid(x)
                g_out = g_out + grad * (x * sigmoid)
                h = grad * out * silu_slope(x, sigmoid)
                g_bias = g_bias + h
                g_d = g_d + d * h
                g_d2 = g_d2 + (d * d) * h
            vstore(work.grad_localsim, at + t, g_d)
            vstore(work.grad_localsim, at + z + t, g_d2)
            vstore(work.grad_localsim, at + 2 * z + t, g_bias)
            vstore(work.grad_localsim, at + 3 * z + t, g_out)
        vstore(work.grad_localsim, at + 4 * z, splat(ZERO, w))
        work.grad_localsim[at + 4 * z] = total
        chunk = claim(team, SIMILARITIES)


@inlined
def localsim_weights(z: int, w: Width) -> int:
    """How many of the small parameters, from the first on, are LocalSim's: ls_in, ls_bias, ls_out, ls_out_bias."""
    return 4 * z + len(w)
