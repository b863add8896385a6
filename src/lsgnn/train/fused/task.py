"""One call of the compiled loop: operands, parameters and buffers, put together in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.config import ClassWeight, LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.graph.splits import Split
from lsgnn.propagate.precompute import Precomputed
from lsgnn.train.class_weights import class_weights, loss_shares
from lsgnn.train.fused.buffers import make_scratch, make_work
from lsgnn.train.fused.channel_norm import NORMS
from lsgnn.train.fused.epochs import run
from lsgnn.train.fused.layout import HEAD_BIAS, Layout
from lsgnn.train.fused.operands import (
    NO_FLOATS,
    NO_NARROW,
    Nodes,
    Reach,
    dense_operand,
    link_operands,
    narrow_operands,
    row_operands,
)
from lsgnn.train.fused.paths import Path, chosen_path
from lsgnn.train.fused.scores import ACCURACY, LOSS, ROC_AUC, RULES
from lsgnn.train.fused.structs import Floats, Hyper, Links, Narrow, ScoredRows, Shape, State, Weights, Work
from lsgnn.train.metrics import positive_class
from lsgnn.train.selection import require_selectable


@dataclass(frozen=True)
class Task:
    """What the loop works on. Nothing is shared with another task, so that tasks may run in parallel."""

    layout: Layout
    rows: ScoredRows
    train_rows: int
    reached: int  # nodes in the buffers of the narrow reduction
    narrow: Narrow
    H: Floats  # the dense reduction's stack; empty for the narrow one
    links: Links
    weights: Weights

    @classmethod
    def to_train(
        cls,
        pre: Precomputed,
        y: NDArray[np.int64],
        split: Split,
        config: LSGNNConfig,
        initial: Mapping[str, Tensor],
        path: Path,
    ) -> Task:
        train, val = np.flatnonzero(split.train), np.flatnonzero(split.val)
        for part, nodes in (("training", train), ("validation", val)):
            if len(nodes) == 0:
                raise InputError(f"the {part} mask is empty: mark at least one labelled node")
        C = len(initial[HEAD_BIAS])
        narrow, H, reached = NO_NARROW, NO_FLOATS, 0
        if chosen_path(pre, config, len(train), len(val), path) == "dense":
            layout, scored = Layout.of(config, pre, C, dense=True), np.concatenate([train, val])
            H = dense_operand(pre, config, scored)
        else:
            reach = Reach.of(pre.adj, train, val, config.K)
            reached, scored = len(reach.nodes), reach.nodes[reach.scored]
            layout = Layout.of(config, pre, C, dense=False)
            narrow = narrow_operands(pre, config, reach, layout)
        labels = _labels(y, scored, C)
        require_selectable(config.select_by, labels[len(train) :], C)
        share = _loss_share(labels[: len(train)], labels[len(train) :], config.class_weight, C)
        rows = row_operands(pre, layout, initial, scored, len(train), labels, share)
        return cls(layout, rows, len(train), reached, narrow, H, link_operands(pre, config), layout.pack(initial))

    @classmethod
    def to_predict(cls, pre: Precomputed, config: LSGNNConfig, state_dict: Mapping[str, Tensor]) -> Task:
        """All rows, none of them trained."""
        n, C = pre.num_nodes, len(state_dict[HEAD_BIAS])
        layout = Layout.of(config, pre, C, dense=False)
        reach = Reach.of(pre.adj, np.arange(0), np.arange(n), config.K)
        unlabelled, uncounted = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.float32)
        rows = row_operands(pre, layout, state_dict, reach.nodes[reach.scored], 0, unlabelled, uncounted)
        narrow = narrow_operands(pre, config, reach, layout, learns=False)
        links = link_operands(pre, config)
        return cls(layout, rows, 0, n, narrow, NO_FLOATS, links, layout.pack(state_dict))

    def buffers(self, config: LSGNNConfig, predicts: bool = False) -> Work:
        rows, rule = len(self.rows.node), LOSS if predicts else RULES[config.select_by]
        return make_work(
            self.layout,
            rows=rows,
            train_rows=self.train_rows,
            reached=self.reached,
            similarities=len(self.rows.similarity),
            smoothed=len(self.rows.smoothing.step.rows),
            logits=predicts or rule > ACCURACY,
            ranked=rows - self.train_rows if rule >= ROC_AUC else 0,
        )

    def run(
        self, job: int, config: LSGNNConfig, state: State, work: Work, history: NDArray[np.float64]
    ) -> tuple[int, int]:
        """Calls the compiled loop; see `epochs.run` for the jobs and what they return."""
        layout = self.layout
        shape = Shape(
            K=layout.K,
            z=layout.z,
            alphas=layout.alphas,
            C=layout.C,
            d=layout.d,
            width=layout.width,
            train_rows=self.train_rows,
            val_rows=len(self.rows.node) - self.train_rows,
            n=layout.n,
            blocks=layout.blocks,
            localsim=layout.localsim,
            out_norm=config.out_norm,
            reduce_norm=NORMS[config.reduce_norm],
            hops=layout.hops,
            columns=layout.columns,
            dense=layout.dense,
        )
        small, grad_small = layout.views(self.weights.small), layout.views(work.grad_small)
        scratch, hyper = make_scratch(layout), _hyper(config, positive_class(self.rows.y.astype(np.int64)))
        return run(
            job, self.narrow, self.H, self.links, self.rows, self.weights, small, grad_small, state, work, scratch,
            hyper, history, shape, layout.w,
        )  # fmt: skip


def _hyper(config: LSGNNConfig, positive: int) -> Hyper:
    decoupled = config.optimizer == "adamw"
    return Hyper(
        lr=config.lr,
        coupled_decay=np.float32(0 if decoupled else config.weight_decay),
        shrink=np.float32(1 - config.lr * config.weight_decay if decoupled else 1),
        dropout=config.dropout,
        seed=config.seed,
        epochs=config.epochs,
        patience=config.patience,
        rule=RULES[config.select_by],
        positive=positive,
    )


def _loss_share(train_y: NDArray[np.int64], val_y: NDArray[np.int64], kind: ClassWeight, C: int) -> Floats:
    """What each scored row counts in its loss [b], training rows first."""
    weights = class_weights(kind, train_y, C)
    return np.concatenate([loss_shares(weights, train_y), loss_shares(weights, val_y)])


def _labels(y: NDArray[np.int64], scored: Nodes, C: int) -> NDArray[np.int64]:
    """Classes of the scored rows; the kernels do not check indices, so they are checked here."""
    labels = np.asarray(y)[scored]
    wrong = np.flatnonzero((labels < 0) | (labels >= C))
    if len(wrong):
        node, label = scored[wrong[0]], labels[wrong[0]]
        raise InputError(f"node {node} has class {label}, but the model has classes 0..{C - 1}: label it or unmask it")
    return labels
