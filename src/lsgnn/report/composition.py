"""What the nodes are made of: how many of each class, and how filled their features are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from lsgnn.graph.graph import Graph


@dataclass(frozen=True)
class Classes:
    """Class balance among the labelled nodes; shares are of 1, nan without labels."""

    names: tuple[str, ...]
    counts: tuple[int, ...]
    labelled: int
    unlabelled: int
    majority_share: float
    imbalance: float  # largest class over smallest class present
    effective: float  # exp(entropy): how many equally large classes would be as hard to guess


@dataclass(frozen=True)
class FeatureFill:
    """How much of the feature table says something."""

    columns: int
    stored_sparse: bool
    zero_share: float
    zero_rows: int
    constant_columns: int
    binary: bool


def classes_of(graph: Graph) -> Classes:
    counts = np.bincount(graph.y[graph.labelled], minlength=graph.num_classes)
    total, present = int(counts.sum()), counts[counts > 0]
    p = present / max(total, 1)
    nan = float("nan")
    return Classes(
        names=graph.class_names,
        counts=tuple(int(c) for c in counts),
        labelled=total,
        unlabelled=graph.num_nodes - total,
        majority_share=float(p.max()) if total else nan,
        imbalance=float(present.max() / present.min()) if total else nan,
        effective=float(np.exp(-(p * np.log(p)).sum())) if total else nan,
    )


def feature_fill(graph: Graph) -> FeatureFill:
    n, d = graph.x.shape
    # column by column statistics want CSC; only the filled entries of a sparse table are looked at
    x = sp.csc_array(graph.x)
    filled = np.diff(x.indptr)
    constant = filled == 0
    for column in np.flatnonzero(filled == n):
        values = x.data[x.indptr[column] : x.indptr[column + 1]]
        constant[column] = values.min() == values.max()
    return FeatureFill(
        columns=d,
        stored_sparse=bool(sp.issparse(graph.x)),
        zero_share=1 - x.nnz / (n * d),
        zero_rows=n - len(np.unique(x.indices)),
        constant_columns=int(constant.sum()),
        binary=bool((x.data == 1).all()),
    )
