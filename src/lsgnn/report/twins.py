"""Nodes that cannot be told apart: the same out-neighbours, or the same features.

Where twins lie on both sides of a split, copying a label looks like learning (Platonov et al., ICLR 2023, found it in
Chameleon and Squirrel). The look-up is scored on validation nodes; test nodes are not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.splits import Split
from lsgnn.propagate.filters import adjacency

Groups = NDArray[np.int64]  # the group of equal nodes that each node is in [n]; -1 for a node with nothing to compare
Kind = Literal["out-neighbours", "features"]

FAR_ABOVE = 15.0  # points above majority at which a look-up is a warning: Chameleon has 49, honest citation graphs ≤ 13
NEARLY_ALWAYS = 0.9  # … and it must be right for this share of the nodes that have a twin, or classes are merely alike


@dataclass(frozen=True)
class Twins:
    """Nodes with an exact twin. Shares are of 1, scores in percent; None where there is nothing to score."""

    kind: Kind
    nodes_with_twin: int
    share_with_twin: float
    largest_group: int
    label_agreement: float  # of the labelled twins of a labelled node, the share of its class, mean over nodes
    chance_agreement: float
    covered: float | None = None  # share of validation nodes with a twin among the training nodes
    covered_accuracy: float | None = None  # how often the look-up is right for those, in percent
    lookup_accuracy: float | None = None  # of all validation nodes, the majority class where there is no twin
    majority_accuracy: float | None = None

    @property
    def leaks(self) -> bool:
        """A look-up that learns nothing scores far above the majority class."""
        if self.lookup_accuracy is None or self.majority_accuracy is None or self.covered_accuracy is None:
            return False
        gain = self.lookup_accuracy - self.majority_accuracy
        return gain >= FAR_ABOVE and self.covered_accuracy >= 100 * NEARLY_ALWAYS


def twins_of(graph: Graph, splits: Sequence[Split] = ()) -> tuple[Twins, ...]:
    """Both kinds; `splits` (may be none) are those on which the look-up is tried."""
    groups: dict[Kind, Groups] = {
        "out-neighbours": equal_rows(adjacency(graph, "out")),
        "features": equal_rows(graph.x),
    }
    return tuple(_twins(graph, kind, group, splits) for kind, group in groups.items())


def equal_rows(x: Features) -> Groups:
    """Numbers the distinct rows; an all-zero row is in no group, because two nodes without anything are no twins."""
    if not sp.issparse(x):
        dense = np.ascontiguousarray(x) + np.float32(0)  # -0.0 becomes 0.0, so that equal rows have equal bytes
        keys = [row.tobytes() if row.any() else None for row in dense]
    else:
        csr = sp.csr_array(x)
        keys = [
            csr.indices[start:stop].tobytes() + csr.data[start:stop].tobytes() if stop > start else None
            for start, stop in zip(csr.indptr[:-1], csr.indptr[1:], strict=True)
        ]
    numbers: dict[bytes, int] = {}
    return np.array([-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def label_agreement(group: Groups, y: NDArray[np.int64]) -> float:
    """Mean, over labelled nodes with labelled twins, of the share of those twins in the node's class; nan if none."""
    known = (group >= 0) & (y >= 0)
    group, y = group[known], y[known]
    if not len(y):
        return float("nan")
    votes = sp.csr_array((np.ones(len(y)), (group, y)), shape=(group.max() + 1, y.max() + 1))
    size = np.bincount(group)[group]
    same = np.asarray(votes[group, y]).ravel()  # the node itself included
    twin = size > 1
    return float(((same[twin] - 1) / (size[twin] - 1)).mean()) if twin.any() else float("nan")


def _twins(graph: Graph, kind: Kind, group: Groups, splits: Sequence[Split]) -> Twins:
    sizes = np.bincount(group[group >= 0], minlength=1)
    with_twin = int(sizes[sizes > 1].sum())
    shares = np.bincount(graph.y[graph.labelled], minlength=1) / max(1, int(graph.labelled.sum()))
    return Twins(
        kind=kind,
        nodes_with_twin=with_twin,
        share_with_twin=with_twin / graph.num_nodes,
        largest_group=int(sizes.max()),
        label_agreement=label_agreement(group, graph.y),
        chance_agreement=float((shares**2).sum()) if graph.labelled.any() else float("nan"),
        **_lookup(graph, group, splits),
    )


def _lookup(graph: Graph, group: Groups, splits: Sequence[Split]) -> dict[str, float | None]:
    """Mean over splits of how far copying a training twin's label gets on the validation nodes."""
    from lsgnn import zoo
    from lsgnn.zoo.twin_lookup import grouped

    if not splits:
        return {}
    model, inputs, rows = zoo.get("twin_lookup"), grouped(group), []
    for split in splits:
        right = model.solve(graph, split, model.config(), inputs).logits.argmax(axis=1) == graph.y
        majority = np.bincount(graph.y[split.train]).argmax() == graph.y
        covered = np.isin(group, group[split.train & (group >= 0)])[split.val]
        sure = 100 * float(right[split.val][covered].mean()) if covered.any() else None
        rows.append((covered.mean(), sure, 100 * right[split.val].mean(), 100 * majority[split.val].mean()))
    names = ("covered", "covered_accuracy", "lookup_accuracy", "majority_accuracy")
    known = [[float(v) for v in column if v is not None] for column in zip(*rows, strict=True)]
    return {name: float(np.mean(column)) if column else None for name, column in zip(names, known, strict=True)}
