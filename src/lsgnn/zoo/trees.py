"""Boosted trees on a node's columns, its neighbours' means and its degrees: ahead of GNNs on tables with fraud.

"GADBench" (Tang et al., NeurIPS 2023) found so. Trees need no scaling and take missing values as they are. They are
grown by scikit-learn's `HistGradientBoostingClassifier`, as many as the validation nodes prefer, and kept as tensors.

Against the official code: this is no port of GADBench's. Trees are scikit-learn's, not XGBoost's; the columns are a
node's own, means over its neighbours hop by hop and each way, and log degrees; wide features are reduced first. With
`neighbour_labels` they also read the classes of training nodes nearby, which GADBench's do not: where classes follow
the edges more than the columns (the years of papers, say) that is worth several points.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lsgnn.config import TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency
from lsgnn.train.class_weights import class_weights
from lsgnn.train.engine import Engine, require_device
from lsgnn.train.loop import OnEpoch, cross_entropy, goes_on
from lsgnn.train.selection import BestEpoch, ValidationScore
from lsgnn.train.trained import Epoch, Trained
from lsgnn.zoo.neighbour_columns import Columns, TableInputs
from lsgnn.zoo.neighbour_labels import UNKNOWN, count_label_columns
from lsgnn.zoo.protocol import Model
from lsgnn.zoo.tree_ensemble import TreeEnsemble, grown, no_trees, tensors

STEP = 10  # iterations grown at a time: scikit-learn sorts all columns anew each time it is asked to go on
BINS = 63  # values a column is cut into; the 255 of scikit-learn take three times as long and find nothing more
PREFIX, LABELS = "trees.", "labels"


@dataclass(frozen=True, kw_only=True)
class TreesConfig(TrainingConfig):
    """Settings of boosted trees: `lr` shrinks every tree and `epochs` are iterations, each of one tree per class.

    `optimizer`, `weight_decay` and `dropout` play no part. The other baselines keep the epoch of the best validation
    accuracy; trees keep that of the lowest loss, because boosting is stopped where it begins to overfit, and of a rare
    class (fraud) accuracy sees nothing: it is as high before the first tree.
    """

    YOUNGER: ClassVar[tuple[str, ...]] = (*TrainingConfig.YOUNGER, "neighbour_labels")

    lr: float = 0.15
    epochs: int = 100
    patience: int = 10  # the loss falls and rises smoothly
    hops: int = 2  # ≥ 0, how far neighbours are read
    max_leaf_nodes: int = 8  # ≥ 2, of each tree
    min_samples_leaf: int = 10  # ≥ 1 training nodes in each leaf, or an eighth of all of them if that is less
    l2_regularization: float = 1.0  # ≥ 0, of the leaves' values; without it, leaves of rare classes overshoot
    column_share: float = 0.3  # (0, 1], of the columns, drawn anew for each fork
    max_columns: int = 128  # ≥ 4; wider features are reduced to half as many, see `lsgnn.zoo.neighbour_columns`
    neighbour_labels: bool = False  # also read the classes of training nodes nearby

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, least in (("hops", 0), ("max_leaf_nodes", 2), ("min_samples_leaf", 1), ("max_columns", 4)):
            self._require(field, getattr(self, field) >= least, f"at least {least}")
        self._require("l2_regularization", self.l2_regularization >= 0, "at least 0")
        self._require("column_share", 0 < self.column_share <= 1, "above 0 and at most 1")

    @property
    def tied_to_graph(self) -> str:
        return "the labels of its own nodes" if self.neighbour_labels else ""

    @property
    def tied_to_nodes(self) -> str:
        return ""  # new nodes read the labels that they link to

    @property
    def input_settings(self) -> tuple[tuple[str, Any], ...]:
        return (("max_columns", self.max_columns),)


class NodeTrees(nn.Module):
    """Trees on the table of `TableInputs`; what makes its columns is kept with them.

    Args:
        hops: how far neighbours are read.
        state: the tensors of `Columns`, as `trees.…` those of `TreeEnsemble` and, if they are read, the classes of the
            training nodes [n], `UNKNOWN` elsewhere.
    """

    labels: Tensor | None

    def __init__(self, hops: int, state: Mapping[str, Tensor]) -> None:
        super().__init__()
        for name, tensor in Columns.of_state(state).state.items():
            self.register_buffer(name, tensor)
        self.register_buffer(LABELS, state.get(LABELS))
        own = {name.removeprefix(PREFIX): tensor for name, tensor in state.items() if name.startswith(PREFIX)}
        self.trees = TreeEnsemble(own)
        self.hops = hops

    @property
    def columns(self) -> Columns:
        return Columns.of_state(dict(self.named_buffers()))

    def forward(self, inputs: TableInputs) -> Tensor:
        num_classes = len(self.trees.baseline)
        scores: Tensor = self.trees(table_of(inputs, self.columns, self.hops, self.labels, num_classes))
        return scores.float()  # [b, C]


def table_of(inputs: TableInputs, columns: Columns, hops: int, labels: Tensor | None, num_classes: int) -> Tensor:
    """All that trees read of the wanted nodes [b, p]; the classes of neighbours come last."""
    table = inputs.table(columns, hops)
    return table if labels is None else torch.cat([table, inputs.label_table(columns, labels, num_classes)], dim=1)


@dataclass(frozen=True)
class Trees(Model[TreesConfig]):
    """Grows trees instead of descending a gradient; an epoch is an iteration of boosting."""

    def train(
        self,
        graph: Graph,
        inputs: TableInputs,
        split: Split,
        config: TreesConfig,
        *,
        engine: Engine = "auto",
        device: str = "cpu",
        on_epoch: OnEpoch | None = None,
    ) -> Trained:
        self.require_engine(engine)
        require_device(device)
        return grow(inputs, split.visible(graph.y), graph.num_classes, split, config, on_epoch)

    def module(self, graph: Graph, inputs: TableInputs, config: TreesConfig, state_dict: Mapping[str, Tensor]) -> Any:
        module = NodeTrees(config.hops, state_dict)
        columns, trees, labels, C = module.columns, module.trees, module.labels, graph.num_classes
        d, count = graph.num_features, columns.count(config.hops)
        own = len(columns.mixed) == d and bool(((columns.kept >= 0) & (columns.kept < d)).all())
        own = own and (labels is not None) == config.neighbour_labels
        if labels is not None:
            own = own and labels.shape == (graph.num_nodes,) and bool(((labels >= UNKNOWN) & (labels < C)).all())
            count += count_label_columns(C, len(inputs.ways(columns)), inputs.limit)
        if not own or trees.num_columns > count or len(trees.baseline) != C:
            raise RuntimeError("the trees are of another table")
        return module.eval()


def grow(
    inputs: TableInputs,
    y: NDArray[np.int64],
    num_classes: int,
    split: Split,
    config: TreesConfig,
    on_epoch: OnEpoch | None = None,
) -> Trained:
    """Boosts trees on the training nodes and keeps those up to the best iteration on the validation nodes."""
    start, masks = time.perf_counter(), (split.train, split.val)
    known = torch.from_numpy(np.where(split.train, y, UNKNOWN)) if config.neighbour_labels else None
    whole = table_of(inputs, inputs.columns, config.hops, known, num_classes)
    tables, labels = [whole[mask] for mask in masks], [torch.from_numpy(y[mask]) for mask in masks]
    weights = class_weights(config.class_weight, y[split.train], num_classes)
    # weights that are all alike would still be sorted along with every column
    sample_weight = None if config.class_weight == "none" else weights[y[split.train]]
    learned_from, booster = _without_empty_columns(tables[0].numpy()), _booster(config, len(tables[0]))
    best, history, trees = BestEpoch(config.select_by), list[Epoch](), list[Any]()
    scores, further = list[Tensor](), ValidationScore(config.select_by, y[split.train], y[split.val])
    for epoch in range(1, config.epochs + 1):
        if epoch > len(trees):
            booster.set_params(max_iter=min(len(trees) + STEP, config.epochs))
            booster.fit(learned_from, y[split.train], sample_weight=sample_weight)
            more, baseline, classes = grown(booster, len(trees), num_classes)
            trees += more
        if epoch == 1:
            scores = [torch.from_numpy(baseline).repeat(len(table), 1) for table in tables]
        latest = TreeEnsemble(tensors(trees[epoch - 1 : epoch], np.zeros(num_classes), classes))
        scores = [score + latest(table) for score, table in zip(scores, tables, strict=True)]
        history.append(further.added(_epoch(epoch, scores, labels, torch.from_numpy(weights)), scores[1]))
        best.improved(history[-1])
        if on_epoch is not None and not goes_on(on_epoch, history[-1]):
            break
        if best.waited(epoch, config.patience):
            break
    best.require_any(config.lr)
    kept = tensors(trees[: best.epoch], baseline, classes)
    return Trained(_state(inputs.columns, kept, known), best.epoch, history, time.perf_counter() - start)


def _booster(config: TreesConfig, num_train: int) -> Any:
    from lsgnn.zoo.boosting import Booster  # scikit-learn loads slowly

    return Booster(
        learning_rate=config.lr,
        max_leaf_nodes=config.max_leaf_nodes,
        min_samples_leaf=min(config.min_samples_leaf, max(1, num_train // 8)),  # or tiny graphs would grow no tree
        l2_regularization=config.l2_regularization,
        max_features=config.column_share,
        max_bins=BINS,
        early_stopping=False,  # the split says who validates
        warm_start=True,
        random_state=config.seed,
    )


def _without_empty_columns(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Zeros for columns without a known value, which scikit-learn cannot sort; no tree forks at a constant."""
    return np.where(np.isnan(table).all(axis=0), np.float32(0), table)


def _epoch(epoch: int, scores: list[Tensor], labels: list[Tensor], weight: Tensor) -> Epoch:
    train_loss, val_loss = (float(cross_entropy(s, y, weight)) for s, y in zip(scores, labels, strict=True))
    right = (scores[1].argmax(dim=-1) == labels[1]).double().mean()
    return Epoch(epoch=epoch, train_loss=train_loss, val_loss=val_loss, val_accuracy=float(right))


def _state(columns: Columns, trees: Mapping[str, Tensor], labels: Tensor | None) -> dict[str, Tensor]:
    """Columns are copied, because trainings that share them are saved together, and a file has no shared tensors."""
    copied = {name: tensor.clone() for name, tensor in columns.state.items()}
    known = {} if labels is None else {LABELS: labels}
    return copied | known | {PREFIX + name: tensor for name, tensor in trees.items()}


def prepare(graph: Graph, config: TreesConfig, columns: ColumnScale | None = None) -> TableInputs:
    """The graph as it is: which columns are made of it is a weight of the model."""
    return TableInputs(graph.x, adjacency(graph, "out"), config.max_columns)


def build(config: TreesConfig, graph: Graph, inputs: TableInputs) -> NodeTrees:
    """Without a single tree, which is how boosting begins."""
    unknown = torch.full((graph.num_nodes,), UNKNOWN) if config.neighbour_labels else None
    return NodeTrees(config.hops, _state(inputs.columns, no_trees(graph.num_classes), unknown))


def space(trial: Any) -> dict[str, Any]:
    return {
        "lr": trial.suggest_float("lr", 0.02, 0.3, log=True),
        "epochs": trial.suggest_categorical("epochs", [50, 100, 200]),
        "max_leaf_nodes": trial.suggest_categorical("max_leaf_nodes", [4, 8, 15, 31]),
        "min_samples_leaf": trial.suggest_categorical("min_samples_leaf", [1, 3, 10, 30]),
        "l2_regularization": trial.suggest_categorical("l2_regularization", [0.0, 1.0, 10.0]),
        "column_share": trial.suggest_categorical("column_share", [0.1, 0.3, 1.0]),
        "hops": trial.suggest_int("hops", 0, 3),
        "neighbour_labels": trial.suggest_categorical("neighbour_labels", [False, True]),
    }


MODEL = Trees("trees", "Boosted trees", TreesConfig, prepare, build, space)
