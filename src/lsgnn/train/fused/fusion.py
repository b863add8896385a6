"""The fusion weights α of a row: LocalSim's perceptron, α's perceptron, and their gradients written out.

LocalSim is a mean over neighbours of a function of one number, and many edges share a similarity: `localsim` evaluates
the perceptron once per distinct similarity, and `fusion_weights` takes each row's mean. SiLU is y = x σ(x), with the
slope σ (1 + x (1 − σ)).
"""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined
from lsgnn.train.fused.smoothing import row_product
from lsgnn.train.fused.structs import Floats, ScoredRows, Scratch, Shape, Small, Work
from lsgnn.train.fused.vector import Vec, Width, at, splat, vload, vstore, vsum
from lsgnn.train.fused.vector_functions import vsigmoid

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)


@inlined
def silu_slope(x: Vec, sigmoid: Vec) -> Vec:
    return sigmoid * (x * (ONE - sigmoid) + ONE)


@inlined
def read_columns(r: int, rows: ScoredRows, work: Work, s: Scratch, shape: Shape) -> None:
    """What row r's weights are made of, into s.phi: its refined LocalSim, averages of it, its degree."""
    if shape.hops == 0:
        s.phi[0] = row_product(rows.share, r, work.f, 0)
    else:
        n = rows.smoothing.step.rows.shape[0]
        for k in range(shape.hops + 1):
            s.phi[k] = work.phi[k * n + rows.node[r]]
    if rows.log_degree.shape[0] > 0:
        s.phi[shape.columns - 1] = rows.log_degree[r]


@inlined
def fusion_weights(r: int, rows: ScoredRows, q: Small, work: Work, s: Scratch, shape: Shape, w: Width) -> None:
    """α of row r into s.alpha: from its refined LocalSim φ, or the same for the whole graph."""
    z, A = shape.z, shape.alphas
    if not shape.localsim:
        for t in range(0, A, len(w)):
            vstore(s.alpha, t, vload(q.al_out_bias, t, w))
        return
    read_columns(r, rows, work, s, shape)
    for t in range(0, z, len(w)):
        x = vload(q.al_bias, t, w)
        for c in range(shape.columns):
            phi, a = s.phi[c], 2 * c * z + t
            x = x + phi * vload(q.al_in, a, w) + (phi * phi) * vload(q.al_in, a + z, w)
        sigmoid = vsigmoid(x)
        vstore(s.hidden_in, t, x)
        vstore(s.sigmoid, t, sigmoid)
        vstore(s.hidden, t, x * sigmoid)
    for t in range(0, A, len(w)):
        alpha = vload(q.al_out_bias, t, w)
        for h in range(z):
            alpha = alpha + at(s.hidden, h) * vload(work.al_out_T, h * A + t, w)
        vstore(s.alpha, t, alpha)


@inlined
def fusion_weights_backward(
    r: int, rows: ScoredRows, q: Small, g: Small, work: Work, s: Scratch, shape: Shape, w: Width
) -> None:
    """From the gradient at α (s.grad_alpha): α's perceptron into g, LocalSim's output into work.grad_f, or what is
    averaged of it into work.grad_phi."""
    z = shape.z
    for a in range(3 * shape.K):
        g.al_out_bias[a] += s.grad_alpha[a]
    if not shape.localsim:
        return
    for c in range(shape.columns):
        s.grad_phi[c] = ZERO
    for t in range(0, z, len(w)):
        hidden, grad = vload(s.hidden, t, w), splat(ZERO, w)
        for a in range(3 * shape.K):
            grad = grad + at(s.grad_alpha, a) * vload(q.al_out, a * z + t, w)
            p = a * z + t
            vstore(g.al_out, p, vload(g.al_out, p, w) + at(s.grad_alpha, a) * hidden)
        grad = grad * silu_slope(vload(s.hidden_in, t, w), vload(s.sigmoid, t, w))
        vstore(g.al_bias, t, vload(g.al_bias, t, w) + grad)
        for c in range(shape.columns):
            phi, a = s.phi[c], 2 * c * z + t
            vstore(g.al_in, a, vload(g.al_in, a, w) + phi * grad)
            vstore(g.al_in, a + z, vload(g.al_in, a + z, w) + (phi * phi) * grad)
            s.grad_phi[c] += vsum(grad * (vload(q.al_in, a, w) + (TWO * phi) * vload(q.al_in, a + z, w)))
    if shape.hops == 0:
        for e in range(rows.share.start[r], rows.share.start[r + 1]):
            work.grad_f[rows.share.column[e]] += s.grad_phi[0] * rows.share.value[e]
    else:
        n = rows.smoothing.step.rows.shape[0]
        for k in range(shape.hops + 1):
            work.grad_phi[k * n + rows.node[r]] = s.grad_phi[k]


@inlined
def localsim(similarity: Floats, q: Small, f: Floats, shape: Shape, w: Width) -> None:
    """f = MLP([d, d²]) at the distinct similarities."""
    z = shape.z
    for u in range(similarity.shape[0]):
        d, total = similarity[u], splat(ZERO, w)
        for t in range(0, z, len(w)):
            x = d * vload(q.ls_in, t, w) + (d * d) * vload(q.ls_in, z + t, w) + vload(q.ls_bias, t, w)
            total = total + vload(q.ls_out, t, w) * x * vsigmoid(x)
        f[u] = vsum(total) + q.ls_out_bias[0]


@inlined
def localsim_backward(
    similarity: Floats, count: int, grad_f: Floats, q: Small, g: Small, shape: Shape, w: Width
) -> None:
    """From the gradient at f; only the first `count` similarities belong to training rows. Recomputes the hidden layer:
    to store it would take [U, z] floats, and U may be the number of edges."""
    z = shape.z
    for u in range(count):
        g.ls_out_bias[0] += grad_f[u]
    for t in range(0, z, len(w)):
        first, second = vload(q.ls_in, t, w), vload(q.ls_in, z + t, w)
        bias, out = vload(q.ls_bias, t, w), vload(q.ls_out, t, w)
        g_first, g_second, g_bias, g_out = splat(ZERO, w), splat(ZERO, w), splat(ZERO, w), splat(ZERO, w)
        for u in range(count):
            d, grad = similarity[u], grad_f[u]
            x = d * first + (d * d) * second + bias
            sigmoid = vsigmoid(x)
            g_out = g_out + grad * (x * sigmoid)
            h = grad * out * silu_slope(x, sigmoid)
            g_bias = g_bias + h
            g_first = g_first + d * h
            g_second = g_second + (d * d) * h
        vstore(g.ls_in, t, g_first)
        vstore(g.ls_in, z + t, g_second)
        vstore(g.ls_bias, t, g_bias)
        vstore(g.ls_out, t, g_out)
