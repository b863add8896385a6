"""What the baselines read: scaled features and whatever matrices they propagate them with, made once per graph."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from lsgnn.config import Direction, FeatureNorm, SelectBy, TrainingConfig
from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.extremes import require_moderate_features
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.filters import adjacency, normalized_adjacency, row_sums


@dataclass(frozen=True, kw_only=True)
class BaselineConfig(TrainingConfig):
    """Settings every baseline shares; its own follow in the subclass."""

    direction: Direction = "undirected"  # which neighbours a node reads
    feature_norm: FeatureNorm = "l1"
    hidden_channels: int = 64  # ≥ 1
    select_by: SelectBy = "val_accuracy"  # one rule for all baselines: no model may pick the rule that suits it

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("hidden_channels", self.hidden_channels >= 1, "at least 1")


@dataclass(frozen=True, kw_only=True)
class NodeInputs:
    """What a full-graph model reads. Models add the matrices they need; `index` says whose logits are wanted."""

    x: SparseMatrix | Tensor  # scaled features [n, d]
    index: Tensor | None = None

    def select(self, index: Tensor) -> Self:
        return dataclasses.replace(self, index=index)

    def pick(self, per_node: Tensor) -> Tensor:
        """The rows of a per-node tensor [n, …] that are wanted."""
        return per_node if self.index is None else per_node[self.index]

    def to(self, device: torch.device | str) -> Self:
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return dataclasses.replace(self, **{k: v.to(device) if hasattr(v, "to") else v for k, v in fields.items()})


@dataclass(frozen=True, kw_only=True)
class AdjacencyInputs(NodeInputs):
    """Features and one matrix to propagate them with."""

    adj: SparseMatrix  # [n, n], row i reads its columns


@dataclass(frozen=True)
class NodeGroups:
    """What a look-up reads: the group of each node [b], and how many groups there are."""

    group: Tensor
    num_groups: int

    def select(self, index: Tensor) -> Self:
        return dataclasses.replace(self, group=self.group[index])

    def to(self, device: torch.device | str) -> Self:
        return dataclasses.replace(self, group=self.group.to(device))


def features(graph: Graph, norm: FeatureNorm, columns: ColumnScale | None = None) -> SparseMatrix | Tensor:
    """Scaled features, sparse where that is cheaper (fewer than one entry in eight is set).

    `columns` is the scale of standardised features; by default the graph's own, else that of the one trained on.
    """
    x = normalize_features(sparse_if_mostly_zero(graph.x), norm, columns)
    require_moderate_features(x, graph, norm)
    if sp.issparse(x) and sp.csr_array(x).nnz * 8 < graph.num_nodes * graph.num_features:
        return SparseMatrix.of(sp.csr_array(x))
    return torch.from_numpy(sp.csr_array(x).toarray() if sp.issparse(x) else np.asarray(x))


def in_numpy(matrix: SparseMatrix | Tensor) -> Features:
    """The same matrix for numpy and scipy."""
    if isinstance(matrix, Tensor):
        return np.asarray(matrix.cpu().numpy())
    csr = matrix.forward.cpu()
    parts = (csr.values().numpy(), csr.col_indices().numpy(), csr.crow_indices().numpy())
    return sp.csr_array(parts, shape=tuple(csr.shape))


def gcn_filter(graph: Graph, direction: Direction, raw_self_loops: bool = False) -> sp.csr_array:
    r""":math:`\hat P = \tilde D^{-1/2} (A + I) \tilde D^{-1/2}` [n, n]; self loops of the data only if asked for."""
    return normalized_adjacency(adjacency(graph, direction, raw_self_loops), "with_self_loop", "self_loop")


def plain_filter(graph: Graph, direction: Direction, raw_self_loops: bool = False) -> sp.csr_array:
    r""":math:`\hat A = D^{-1/2} A D^{-1/2}` [n, n]; a node that reads nobody has degree 1.

    In a directed graph others may read it even so, and a degree of 0 would lose those links.
    """
    A = adjacency(graph, direction, raw_self_loops)
    scale = 1 / np.sqrt(np.where(np.diff(A.indptr) > 0, row_sums(A), 1.0))
    rows = np.repeat(np.arange(graph.num_nodes), np.diff(A.indptr))
    with np.errstate(over="ignore"):  # beyond float32 only in a directed graph; who trains on it looks for that
        values = (A.data * scale[rows] * scale[A.indices]).astype(np.float32)
    return sp.csr_array((values, A.indices, A.indptr), shape=A.shape)


def gcn_inputs(graph: Graph, config: BaselineConfig, columns: ColumnScale | None = None) -> AdjacencyInputs:
    """Scaled features and GCN's filter: all that most baselines read."""
    adj = SparseMatrix.of(gcn_filter(graph, config.direction))
    return AdjacencyInputs(x=features(graph, config.feature_norm, columns), adj=adj)


def message_edges(graph: Graph, direction: Direction) -> Tensor:
    """`edge_index` [2, E] without self loops, turned so that PyG's source → target flow reads the chosen neighbours."""
    A = adjacency(graph, direction).tocoo()  # A[i, j]: i reads j, so the message goes j → i
    return torch.from_numpy(np.stack([A.col, A.row]).astype(np.int64))
