"""The output layer and the loss of a batch of rows, and the gradient written out."""

from __future__ import annotations

import numpy as np

from lsgnn.compiled import inlined
from lsgnn.train.fused.outer_products import add_outer_products
from lsgnn.train.fused.structs import Floats, Scratch, Shape, Small, Work
from lsgnn.train.fused.vector import BATCH, Width, at, splat, vgreatest, vload, vmax, vstore, vsum
from lsgnn.train.fused.vector_functions import vexp

ZERO = np.float32(0)


@inlined
def classify(q: Small, work: Work, s: Scratch, seen: Floats, shape: Shape, w: Width) -> None:
    """Logits of a batch, from what the output layer sees of it [B, columns]; rows that are not there get some too."""
    columns, classes = shape.blocks * shape.z, shape.classes
    for i in range(len(BATCH)):
        for c in range(0, classes, len(w)):
            vstore(s.logit, i * classes + c, vload(q.head_bias, c, w))
    for c in range(0, classes, len(w)):
        add_outer_products(
            seen, 0, (0, 1, columns), work.head_T, c, (0, classes), s.logit, c, classes, (1, columns), False,
            BATCH, w, None,
        )  # fmt: skip


@inlined
def classify_backward(count: int, q: Small, g: Small, s: Scratch, seen: Floats, shape: Shape, w: Width) -> None:
    """From the gradient at the logits of a batch (s.logit) to s.grad_Q; the layer's own goes into g."""
    columns, classes = shape.blocks * shape.z, shape.classes
    for i in range(count):
        for c in range(0, classes, len(w)):
            vstore(g.head_bias, c, vload(g.head_bias, c, w) + vload(s.logit, i * classes + c, w))
    for t in range(0, columns, len(w)):
        add_outer_products(
            s.logit, 0, (0, 1, classes), q.head, t, (0, columns), s.grad_Q, t, columns, (1, shape.C), True,
            BATCH, w, None,
        )  # fmt: skip
        for c in range(0, shape.C, len(BATCH)):
            add_outer_products(
                s.logit, c, (0, classes, 1), seen, t, (0, columns), g.head, c * columns + t, columns, (1, count),
                False, BATCH, w, None,
            )  # fmt: skip


@inlined
def cross_entropy(i: int, s: Scratch, y: int, shape: Shape, w: Width) -> tuple[float, bool]:
    """(loss, correct) of row i's logits, which become exp(logit − greatest); the first of equal logits wins."""
    x, classes = i * shape.classes, shape.classes
    chosen, total = at(s.logit, x + y), splat(ZERO, w)
    for c in range(shape.C, classes):
        s.logit[x + c] = chosen
    greatest = vload(s.logit, x, w)
    for c in range(len(w), classes, len(w)):
        greatest = vmax(greatest, vload(s.logit, x + c, w))
    top = vgreatest(greatest)
    correct = chosen == top
    if correct:
        for c in range(y):
            correct = correct and at(s.logit, x + c) != top
    for c in range(0, classes, len(w)):
        vstore(s.logit, x + c, vexp(vload(s.logit, x + c, w) - top))
    for c in range(shape.C, classes):
        s.logit[x + c] = ZERO
    for c in range(0, classes, len(w)):
        total = total + vload(s.logit, x + c, w)
    s.total[i] = vsum(total)
    return np.log(s.total[i]) + top - chosen, correct


@inlined
def softmax_gradient(i: int, s: Scratch, y: int, scale: float, shape: Shape, w: Width) -> None:
    """Row i's logits, after `cross_entropy`, ← scale · (softmax − one-hot)."""
    x, factor = i * shape.classes, scale / s.total[i]
    for c in range(0, shape.classes, len(w)):
        vstore(s.logit, x + c, vload(s.logit, x + c, w) * factor)
    s.logit[x + y] -= scale
