"""Boosted trees as plain tensors: taken out of scikit-learn once trained, saved without pickles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lsgnn.errors import InputError

FIELDS = ("value", "feature_idx", "num_threshold", "missing_go_to_left", "left", "right", "is_leaf")
NEVER = float(np.log(1e-9))  # the logit of a class that no training node has

Nodes = NDArray[Any]  # the nodes of one tree, a record each with the fields above


class TreeEnsemble(nn.Module):
    r"""Raw scores :math:`b_c + \sum_t v_t(x)` of every class, with the value of the leaf that x reaches in each tree t.

    All its tensors are buffers, of whatever size the trees have: the nodes of all trees one after the other. Raises
    RuntimeError where they cannot be trees.

    Args:
        state: `baseline` b [C]; `classes` [k], whose scores the k trees of an iteration add to; `root` [T], the first
            node of each tree, iteration by iteration; and of each node `feature`, `threshold` (at most: left),
            `missing_left`, `child` [nodes, 2] (a leaf is its own child) and `value`.
    """

    baseline: Tensor
    classes: Tensor
    root: Tensor
    feature: Tensor
    threshold: Tensor
    missing_left: Tensor
    child: Tensor
    value: Tensor

    def __init__(self, state: Mapping[str, Tensor]) -> None:
        super().__init__()
        for name in ("baseline", "classes", "root", "feature", "threshold", "missing_left", "child", "value"):
            self.register_buffer(name, state[name])
        self._require_trees()

    def _require_trees(self) -> None:
        nodes = len(self.value)
        whole = self.child.shape == (nodes, 2) and len(self.feature) == len(self.threshold) == nodes
        whole = whole and len(self.missing_left) == nodes and len(self.root) % len(self.classes) == 0
        within = bool(((self.root >= 0) & (self.root < nodes)).all() and (self.child < nodes).all())
        within = within and bool(((self.classes >= 0) & (self.classes < len(self.baseline))).all())
        within = within and bool((self.feature >= 0).all())
        if not whole or not within or bool((self.child < torch.arange(nodes)[:, None]).any()):  # no way back: no loop
            raise RuntimeError("the tensors are not those of trees")

    @property
    def num_columns(self) -> int:
        """How many columns a table must have at least."""
        return int(self.feature.max()) + 1 if len(self.feature) else 0

    @torch.no_grad()
    def forward(self, table: Tensor) -> Tensor:
        """Rows of single precision, NaN where a value is missing [b, p] → scores of double precision [b, C]."""
        from lsgnn.zoo.tree_kernel import add_leaves  # Numba loads slowly

        if table.shape[1] < self.num_columns:  # the kernel looks where it is told to
            raise RuntimeError(f"the table has {table.shape[1]} columns, but the trees read {self.num_columns}")
        scores = self.baseline.repeat(len(table), 1)
        buffers = {name: tensor.contiguous().numpy() for name, tensor in self.named_buffers() if name != "baseline"}
        add_leaves(table=table.contiguous().numpy(), scores=scores.numpy(), **buffers)
        return scores


def no_trees(num_classes: int) -> dict[str, Tensor]:
    """The state of an ensemble before its first iteration: every class scores 0."""
    return tensors([], np.zeros(num_classes), np.arange(num_classes))


def tensors(
    iterations: Sequence[Sequence[Nodes]], baseline: NDArray[np.float64], classes: NDArray[np.int64]
) -> dict[str, Tensor]:
    """The state of an ensemble with these trees; thresholds are rounded down to the last number of single precision.

    Of what is at most such a number, a table of single precision cannot tell the difference.
    """
    trees = [nodes for iteration in iterations for nodes in iteration]
    root = np.cumsum([0, *map(len, trees)])
    empty = np.zeros(0, dtype=[(name, np.float64) for name in FIELDS])
    nodes = {name: np.concatenate([tree[name] for tree in (*trees, empty)]) for name in FIELDS}
    own = np.arange(root[-1])
    start = np.repeat(root[:-1], list(map(len, trees)))
    leaf = nodes["is_leaf"].astype(bool)
    child = [np.where(leaf, own, nodes[side].astype(np.int64) + start) for side in ("left", "right")]
    state = {
        "baseline": np.asarray(baseline, np.float64),
        "classes": np.asarray(classes, np.int64),
        "root": root[:-1].astype(np.int64),
        "feature": np.where(leaf, 0, nodes["feature_idx"]).astype(np.int64),
        "threshold": _rounded_down(nodes["num_threshold"]),
        "missing_left": nodes["missing_go_to_left"].astype(bool),
        "child": np.stack(child, axis=1).astype(np.int64),
        "value": nodes["value"].astype(np.float64),
    }
    return {name: torch.from_numpy(array) for name, array in state.items()}


def _rounded_down(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        near = np.minimum(
            numbers.astype(np.float32), np.finfo(np.float32).max
        )  # infinite: none but missing ones go right
    return np.where(near > numbers, np.nextafter(near, np.float32(-np.inf)), near)


def grown(model: Any, start: int, num_classes: int) -> tuple[list[list[Nodes]], NDArray[np.float64], NDArray[np.int64]]:
    """What a fitted `HistGradientBoostingClassifier` has grown from iteration `start` on: trees, baseline and classes.

    Of two classes, the second one's score is that of the model and the first one's is 0; a class that was not in the
    training scores so little that it is never predicted. This is the one place that reads what scientific code calls
    private; there is no other way to save trees without a pickle.
    """
    classes = np.asarray(model.classes_, dtype=np.int64)
    try:
        iterations = [[np.asarray(tree.nodes) for tree in trees] for trees in model._predictors[start:]]
        first = np.asarray(model._baseline_prediction, dtype=np.float64).ravel()
        if any(not set(FIELDS) <= set(nodes.dtype.names or ()) for trees in iterations for nodes in trees):
            raise AttributeError("a field of the nodes is missing")
    except AttributeError as error:
        from sklearn import __version__

        raise InputError(
            f"scikit-learn {__version__} keeps its trees in another way than versions 1.6 to 1.9 ({error}), and they "
            "cannot be saved: install one of those, or train another model"
        ) from error
    added = classes[1:] if len(first) == 1 else classes
    baseline = np.full(num_classes, NEVER)
    baseline[classes] = 0.0
    baseline[added] = first
    return iterations, baseline, added
