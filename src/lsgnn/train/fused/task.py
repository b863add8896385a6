"""One training by the compiled loop: operands, parameters and buffers, put together in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.config import ClassWeight, LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.graph.splits import Split
from lsgnn.memory import LOWER_EITHER, require_memory
from lsgnn.nn.model import KEPT_SIMILARITIES
from lsgnn.propagate.precompute import Precomputed
from lsgnn.propagate.similarity import NeighbourSimilarity
from lsgnn.train.class_weights import class_weights, loss_shares
from lsgnn.train.fused.buffers import make_scratch, make_shape, make_work, scratch_bytes
from lsgnn.train.fused.epochs import run
from lsgnn.train.fused.layout import HEAD_BIAS, Layout
from lsgnn.train.fused.operands import Nodes, Reach, link_operands, narrow_operands, row_operands
from lsgnn.train.fused.packed import panel_operand
from lsgnn.train.fused.paths import Path, chosen_path, chosen_threads
from lsgnn.train.fused.record import record
from lsgnn.train.fused.scores import ACCURACY, LOSS, ROC_AUC, RULES
from lsgnn.train.fused.similarity_table import on_grid
from lsgnn.train.fused.structs import Floats, Hyper, Links, Log, Narrow, Panels, ScoredRows, State, Weights, Work
from lsgnn.train.fused.team import EPOCHS_DONE, STOP, make_team
from lsgnn.train.fused.variant import Variant, prepared
from lsgnn.train.interruptible import together
from lsgnn.train.metrics import positive_class
from lsgnn.train.selection import require_selectable

# told how many epochs are done while the loop runs; False ends it
OnEpochs = Callable[[int], bool]


@dataclass(frozen=True)
class Task:
    """What the loop works on. Nothing is shared with another task, so that tasks may run in parallel."""

    layout: Layout
    rows: ScoredRows
    train_rows: int
    reached: int  # nodes in the buffers of the narrow reduction
    narrow: Narrow | None  # of these two there is one
    H: Panels | None
    links: Links | None
    weights: Weights
    threads: int

    @classmethod
    def to_train(
        cls,
        pre: Precomputed,
        y: NDArray[np.int64],
        split: Split,
        config: LSGNNConfig,
        initial: Mapping[str, Tensor],
        path: Path = "auto",
        threads: int | None = None,
        exact: bool = False,
    ) -> Task:
        pre, train, val = _with_kept(pre, initial), np.flatnonzero(split.train), np.flatnonzero(split.val)
        for part, nodes in (("training", train), ("validation", val)):
            if len(nodes) == 0:
                raise InputError(f"the {part} mask is empty: mark at least one labelled node")
        C = len(initial[HEAD_BIAS])
        narrow, H, reached = None, None, 0
        path = chosen_path(pre, config, len(train), len(val), path)
        threads = chosen_threads(threads, pre, config, len(train), len(val), C, path)
        layout = Layout.of(config, pre, C, dense=path == "dense")
        if layout.dense:
            scored = np.concatenate([train, val])
            H = panel_operand(pre, config, scored)
        else:
            reach = Reach.of(pre.filters, train, val, config.K)
            scored, reached = reach.nodes[reach.scored], len(reach.nodes)
            narrow = narrow_operands(pre, config, reach, layout, threads)
        labels = _labels(y, scored, C)
        require_selectable(config.select_by, labels[len(train) :], C)
        share = _loss_share(labels[: len(train)], labels[len(train) :], config.class_weight, C)
        rows = row_operands(pre if exact else _tabulated(pre), layout, initial, scored, len(train), labels, share)
        links = link_operands(pre, config)
        return cls(layout, rows, len(train), reached, narrow, H, links, layout.pack(initial), threads)

    @classmethod
    def to_predict(
        cls, pre: Precomputed, config: LSGNNConfig, state_dict: Mapping[str, Tensor], threads: int | None = None
    ) -> Task:
        """All rows, none of them trained."""
        pre, n, C = _with_kept(pre, state_dict), pre.num_nodes, len(state_dict[HEAD_BIAS])
        layout = Layout.of(config, pre, C, dense=False)
        reach = Reach.of(pre.filters, np.arange(0), np.arange(n), config.K)
        unlabelled, uncounted = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.float32)
        rows = row_operands(pre, layout, state_dict, reach.nodes[reach.scored], 0, unlabelled, uncounted)
        threads = chosen_threads(threads, pre, config, 0, n, C, "narrow")
        narrow = narrow_operands(pre, config, reach, layout, threads, learns=False)
        links = link_operands(pre, config)
        return cls(layout, rows, 0, n, narrow, None, links, layout.pack(state_dict), threads)

    def run(
        self,
        job: int,
        config: LSGNNConfig,
        state: State,
        history: NDArray[np.float64],
        predicts: bool = False,
        on_epochs: OnEpochs | None = None,
    ) -> tuple[int, int, Work]:
        """Runs the compiled loop in all threads, see `epochs.run` for the jobs; (best epoch, epochs run, buffers)."""
        layout, rows = self.layout, self.rows
        shape = make_shape(layout, rows, self.train_rows, self.H, config)
        rule = RULES[config.select_by]
        if predicts:
            rule = LOSS
        work = make_work(
            layout,
            shape,
            self.H,
            similarities=len(rows.similarity),
            logits=predicts or rule > ACCURACY,
            ranked=shape.val_rows if rule >= ROC_AUC else 0,
        )
        require_memory(self.threads * scratch_bytes(layout, self.reached), f"{self.threads} threads", LOWER_EITHER)
        hyper = _hyper(config, positive_class(rows.y.astype(np.int64)))
        log, teams = Log(history.reshape(-1), np.array([-np.inf, np.inf])), make_team(self.threads)
        variant = Variant(layout.dense, self.links is not None, len(layout.w))
        (stages,) = together([lambda: prepared(variant)])  # in a thread of its own: Ctrl-C need not wait for it
        narrow, H, links, scored = record(self.narrow), record(self.H), record(self.links), record(rows)
        p, q = record(self.weights), record(layout.views(self.weights.small))
        kept, buffers, settings, sizes = record(state), record(work), record(hyper), record(shape)
        at, lines = record(stages), record(log)
        shared = teams[0].shared

        def work_of(number: int) -> Callable[[], int]:
            scratch = make_scratch(layout, self.reached, self.H)
            g, s, team = record(layout.views(scratch.grad_small)), record(scratch), record(teams[number])
            return lambda: run(
                job, at, narrow, H, links, scored, p, q, g, kept, buffers, s, settings, lines, sizes, team,
                layout.w, layout.wide,
            )  # fmt: skip

        def look() -> None:
            if on_epochs is not None and not on_epochs(int(shared[EPOCHS_DONE])):
                stop()

        def stop() -> None:
            shared[STOP] = 1

        epochs_run = together([work_of(number) for number in range(self.threads)], look, stop)
        look()
        return int(work.verdict[0]), epochs_run[0], work


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


def _with_kept(pre: Precomputed, weights: Mapping[str, Tensor]) -> Precomputed:
    """With the similarities that the model keeps itself, if it does."""
    if pre.compared is None or KEPT_SIMILARITIES not in weights:
        return pre
    return replace(pre, similarity=NeighbourSimilarity.of(pre.compared, weights[KEPT_SIMILARITIES].numpy()))


def _tabulated(pre: Precomputed) -> Precomputed:
    """With similarities on a grid, where they are many."""
    return replace(pre, similarity=on_grid(pre.similarity))


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
