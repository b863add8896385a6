"""What epochs are selected by besides loss and accuracy, from the logits of the validation rows (`work.logits`).

The numbers are those of `lsgnn.train.metrics`; here they are computed inside the loop, because the best weights are
kept on the way. Rankings sort one whole number per row in place: the margin's bits, in the order of whole numbers, and
whether the row is positive in the lowest bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from lsgnn.compiled import inlined, kernel
from lsgnn.config import SelectBy
from lsgnn.train.fused.structs import Hyper, ScoredRows, Shape, Work
from lsgnn.train.fused.vector import intrinsic

# the rules that the loop knows; those from ROC_AUC on rank the rows
LOSS, ACCURACY, BALANCED_ACCURACY, MACRO_F1, ROC_AUC, AVERAGE_PRECISION, RECALL_AT_K = range(7)
RULES: dict[SelectBy, int] = {
    "val_loss": LOSS,
    "val_accuracy": ACCURACY,
    "val_balanced_accuracy": BALANCED_ACCURACY,
    "val_macro_f1": MACRO_F1,
    "val_roc_auc": ROC_AUC,
    "val_average_precision": AVERAGE_PRECISION,
    "val_recall_at_k": RECALL_AT_K,
}

SIGN = 1 << 31
Counts = NDArray[np.int64]


@kernel
def validation_score(rows: ScoredRows, work: Work, hyper: Hyper, shape: Shape) -> Any:
    """The score that `hyper.rule` names; `evaluate` has filled `work.logits`."""
    first, b = shape.train_rows, shape.val_rows
    if hyper.rule < ROC_AUC:
        count(rows, work, shape)
        return mean_over_classes(work.counts, shape.C, hyper.rule == MACRO_F1)
    p = hyper.positive
    for v in range(b):
        r = first + v
        margin = work.logits[2 * r + p] - work.logits[2 * r + 1 - p]
        work.keys[v] = 2 * in_order(margin) + (1 if rows.y[r] == p else 0)
    sort(work.keys)
    return ranking(work.keys, hyper.rule)


@inlined
def count(rows: ScoredRows, work: Work, shape: Shape) -> None:
    """work.counts [3, C]: rows of a class that are right, that are of it, that are taken for it."""
    C, counts = shape.C, work.counts
    for c in range(3 * C):
        counts[c] = 0
    for r in range(shape.train_rows, shape.train_rows + shape.val_rows):
        said = 0
        for c in range(1, C):
            if work.logits[r * C + c] > work.logits[r * C + said]:
                said = c
        true = np.int64(rows.y[r])
        counts[true] += said == true
        counts[C + true] += 1
        counts[2 * C + said] += 1


@inlined
def mean_over_classes(counts: Counts, C: int, f1: bool) -> Any:
    """Mean recall of the classes that there are, or mean F1 of those that there are or that are said."""
    total, classes = 0.0, 0
    for c in range(C):
        size = counts[C + c] + (counts[2 * C + c] if f1 else 0)
        if size > 0:
            total += (2 if f1 else 1) * counts[c] / size
            classes += 1
    return total / classes


@intrinsic
def bits_of(typing: Any, x: Any) -> Any:
    """The bits of a float32."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.uint32(types.float32), codegen


@inlined
def in_order(x: float) -> Any:
    """A whole number below 2³² for a float32: greater for a greater one, and the same for both zeros."""
    bits = np.int64(bits_of(x))
    if bits < SIGN:
        return bits + SIGN
    return 2 * SIGN - bits  # of a negative number the bits count the other way round; −0 becomes SIGN, as +0


@kernel
def sift(keys: Counts, root: int, size: int) -> None:
    """Lets keys[root] sink in the heap keys[:size], the greatest of which is on top."""
    key = keys[root]
    child = 2 * root + 1
    while child < size:
        if child + 1 < size and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        keys[root] = keys[child]
        root, child = child, 2 * child + 1
    keys[root] = key


@kernel
def sort(keys: Counts) -> None:
    """Heap sort, ascending: it needs no memory, and no order of rows makes it slow."""
    size = keys.shape[0]
    for root in range(size // 2 - 1, -1, -1):
        sift(keys, root, size)
    for last in range(size - 1, 0, -1):
        greatest = keys[0]
        keys[0] = keys[last]
        keys[last] = greatest
        sift(keys, 0, last)


@inlined
def ranking(keys: Counts, rule: int) -> Any:
    """ROC AUC, average precision or recall at k of sorted keys; rows of equal margin are taken together."""
    positives = np.int64(0)
    for i in range(keys.shape[0]):
        positives += keys[i] & 1
    i, seen, found, total = keys.shape[0] - 1, 0, 0, 0.0
    while i >= 0:
        margin, size, hits = keys[i] >> 1, 0, 0
        while i >= 0 and keys[i] >> 1 == margin:
            size += 1
            hits += keys[i] & 1
            i -= 1
        if rule == ROC_AUC:
            total += (size - hits) * (found + hits / 2)
        elif rule == AVERAGE_PRECISION:
            total += hits * (found + hits) / (seen + size)
        else:
            room = positives - seen  # of the k places, those that are left
            total += hits * (size if room > size else room if room > 0 else 0) / size
        seen += size
        found += hits
    if rule == ROC_AUC:
        return total / (positives * (keys.shape[0] - positives))
    return total / positives
