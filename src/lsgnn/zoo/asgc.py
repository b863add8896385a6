"""ASGC: "Simplified Graph Convolution with Heterophily" (Chanpuriya and Musco, NeurIPS 2022).

Against the official code: in nothing that is computed. Raw features, self loops of the data kept (and one added where a
node has no neighbour), scikit-learn's logistic regression on the training nodes, R and K searched on the validation
nodes in the published grid. Of filters that classify as many validation nodes right we take the one of the lower loss,
as for every model here, the original the first. The filter's coefficients are kept as weights, so that it can be
applied to new nodes and other graphs, which the original never tries.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lsgnn.config import FeatureNorm
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.train.class_weights import class_weights
from lsgnn.train.engine import Engine, require_device
from lsgnn.train.loop import OnEpoch, cross_entropy, goes_on
from lsgnn.train.selection import BestEpoch, ValidationScore
from lsgnn.train.trained import Epoch, Trained
from lsgnn.zoo.column_filter import coefficients, filtered_rows, gram_matrices
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, features, in_numpy
from lsgnn.zoo.protocol import Model
from lsgnn.zoo.tree_ensemble import NEVER

HOPS = (1, 2, 4, 8)
RIDGES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)


@dataclass(frozen=True, kw_only=True)
class ASGCConfig(BaselineConfig):
    """Settings of ASGC: an epoch of its history is one filter of the search.

    `hidden_channels`, `dropout`, `epochs` and what else belongs to gradient descent play no part.
    """

    feature_norm: FeatureNorm = "none"
    search: bool = True  # validation nodes choose K of 1, 2, 4, 8 and R of 1e-4 … 1; False: the two below
    K: int = 2  # ≥ 1 hops
    ridge: float = 0.01  # R ≥ 0, keeps a column from copying itself
    l2_regularization: float = 1.0  # > 0, λ of ½ λ ‖W‖² beside the summed loss (scikit-learn's C is 1/λ)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("K", self.K >= 1, "at least 1")
        self._require("ridge", self.ridge >= 0, "at least 0")
        self._require("l2_regularization", self.l2_regularization > 0, "positive")

    @property
    def input_settings(self) -> tuple[tuple[str, Any], ...]:
        return (("direction", self.direction), ("feature_norm", self.feature_norm))

    @property
    def most_hops(self) -> int:
        return max(HOPS) if self.search else self.K

    @property
    def filters(self) -> Iterator[tuple[int, float]]:
        """(K, R) of every filter to try."""
        return product(HOPS, RIDGES) if self.search else iter([(self.K, self.ridge)])


class ASGC(nn.Module):
    r"""Logistic regression on filtered features

    .. math::
        \hat Y = \sum_{k=0}^{K} S^k X \,\mathrm{diag}(c_k)\, W + b, \qquad S = D^{-1/2} A D^{-1/2},

    where :math:`c_k` holds a coefficient of every column (`lsgnn.zoo.column_filter`).

    Args:
        in_channels: d.
        out_channels: C.
        hops: K at most.
    """

    c: Tensor

    def __init__(self, in_channels: int, out_channels: int, hops: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.register_buffer("c", torch.empty(hops + 1, in_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Logistic regression on the features as they are, before its first step."""
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)
        self.c.zero_()[0] = 1.0

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        # S is linear, so X diag(c_k) W, with C columns, is propagated instead of X; one more step for each k
        weights = torch.cat([c_k.unsqueeze(-1) * self.weight for c_k in self.c], dim=1)
        *others, h = (inputs.x @ weights).chunk(len(self.c), dim=1)  # each [n, C]
        for part in reversed(others):
            h = part + inputs.adj @ h.contiguous()
        return inputs.pick(h) + self.bias  # [b, C]


@dataclass(frozen=True)
class ASGCEntry(Model[ASGCConfig]):
    """Solves for the weights of each filter instead of descending a gradient."""

    def train(
        self,
        graph: Graph,
        inputs: AdjacencyInputs,
        split: Split,
        config: ASGCConfig,
        *,
        engine: Engine = "auto",
        device: str = "cpu",
        on_epoch: OnEpoch | None = None,
    ) -> Trained:
        self.require_engine(engine)
        require_device(device)
        return search(inputs, split.visible(graph.y), graph.num_classes, split, config, on_epoch)


def search(
    inputs: AdjacencyInputs,
    y: NDArray[np.int64],
    num_classes: int,
    split: Split,
    config: ASGCConfig,
    on_epoch: OnEpoch | None = None,
) -> Trained:
    """Fits every filter on the training nodes and keeps the best one on the validation nodes."""
    start, parts = time.perf_counter(), [np.flatnonzero(mask) for mask in (split.train, split.val)]
    x, S, (train, val) = in_numpy(inputs.x), sp.csr_array(in_numpy(inputs.adj)), parts
    weight = class_weights(config.class_weight, y[train], num_classes)
    further = ValidationScore(config.select_by, y[train], y[val])
    gram = gram_matrices(S, x, config.most_hops)
    best, history, state = BestEpoch(config.select_by), list[Epoch](), dict[str, Tensor]()
    for epoch, (K, ridge) in enumerate(config.filters, start=1):
        c = coefficients(gram[:, : K + 1, : K + 1], x.shape[0], ridge)
        rows = [torch.from_numpy(filtered_rows(S, x, c, part)) for part in parts]
        W, b = logistic_regression(rows[0].numpy(), y[train], num_classes, weight, config.l2_regularization)
        logits, labels = [part @ W + b for part in rows], [torch.from_numpy(y[part]) for part in parts]
        losses = [float(cross_entropy(z, t, torch.from_numpy(weight))) for z, t in zip(logits, labels, strict=True)]
        right = float((logits[1].argmax(dim=-1) == labels[1]).double().mean())
        line = Epoch(epoch=epoch, train_loss=losses[0], val_loss=losses[1], val_accuracy=right)
        history.append(further.added(line, logits[1]))
        if best.improved(history[-1]):
            kept = torch.zeros(config.most_hops + 1, x.shape[1])
            kept[: K + 1] = torch.from_numpy(c.T)
            state = {"weight": W, "bias": b, "c": kept}
        if on_epoch is not None and not goes_on(on_epoch, history[-1]):
            break
    best.require_any(config.lr)
    return Trained(state, best.epoch, history, time.perf_counter() - start)


def logistic_regression(
    x: NDArray[np.float32], y: NDArray[np.int64], num_classes: int, weight: NDArray[np.float32], l2: float
) -> tuple[Tensor, Tensor]:
    """W [d, C] and b [C] by scikit-learn; a class without a training node is never predicted."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    W, b = np.zeros((x.shape[1], num_classes), np.float32), np.full(num_classes, NEVER, np.float32)
    classes = np.unique(y)
    b[classes] = 0.0
    if len(classes) > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the validation nodes judge what came of it
            found = LogisticRegression(C=1 / l2, max_iter=1000).fit(x, y, weight[y])
        solved = classes[-len(found.intercept_) :]  # of two classes only the second one has weights
        W[:, solved], b[solved] = found.coef_.T, found.intercept_
    return torch.from_numpy(W), torch.from_numpy(b)


def prepare(graph: Graph, config: ASGCConfig, columns: ColumnScale | None = None) -> AdjacencyInputs:
    A = adjacency(graph, config.direction, self_loops=True)
    alone = (np.diff(A.indptr) == 0).astype(np.float32)
    S = normalized_adjacency(sp.csr_array(A + sp.diags_array(alone, format="csr")), "plain")
    return AdjacencyInputs(x=features(graph, config.feature_norm, columns), adj=SparseMatrix.of(S))


def build(config: ASGCConfig, graph: Graph, inputs: AdjacencyInputs) -> ASGC:
    return ASGC(inputs.x.shape[1], graph.num_classes, config.most_hops)


def space(trial: Any) -> dict[str, Any]:
    return {
        "l2_regularization": trial.suggest_float("l2_regularization", 1e-2, 1e2, log=True),
        "feature_norm": trial.suggest_categorical("feature_norm", ["none", "l1", "l2", "standard"]),
    }


MODEL = ASGCEntry("asgc", "ASGC", ASGCConfig, prepare, build, space)
