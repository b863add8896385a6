"""The one protocol of the zoo: how a model is configured, prepared, built and tuned.

A model is a file with a settings class, an `nn.Module` from inputs to logits, and a `MODEL` that says how to make both
from a graph. The trainer, the splits, the selection rule and the tuner are the same for all.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lsgnn.config import Direction, FeatureNorm, SelectBy, TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.graph.splits import Split
from lsgnn.memory import require_memory
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.train.loop import train_torch
from lsgnn.train.seeded import seeded
from lsgnn.train.trained import Trained


@dataclass(frozen=True, kw_only=True)
class ZooConfig(TrainingConfig):
    """Settings every peer shares; its own follow in the subclass."""

    direction: Direction = "undirected"  # which neighbours a node reads
    feature_norm: FeatureNorm = "l1"
    hidden_channels: int = 64  # ≥ 1
    select_by: SelectBy = "val_accuracy"  # one rule for all peers: no model may pick the rule that suits it

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


def features(graph: Graph, norm: FeatureNorm) -> SparseMatrix | Tensor:
    """Scaled features, sparse where that is cheaper (fewer than one entry in eight is set)."""
    x = normalize_features(sparse_if_mostly_zero(graph.x), norm)
    if sp.issparse(x) and sp.csr_array(x).nnz * 8 < graph.num_nodes * graph.num_features:
        return SparseMatrix.of(sp.csr_array(x))
    return torch.from_numpy(sp.csr_array(x).toarray() if sp.issparse(x) else np.asarray(x))


def gcn_filter(graph: Graph, direction: Direction, raw_self_loops: bool = False) -> sp.csr_array:
    r""":math:`\hat P = \tilde D^{-1/2} (A + I) \tilde D^{-1/2}` [n, n]; self loops of the data only if asked for."""
    return normalized_adjacency(adjacency(graph, direction, raw_self_loops), "with_self_loop", "self_loop")


def gcn_inputs(graph: Graph, config: ZooConfig) -> AdjacencyInputs:
    """Scaled features and GCN's filter: all that most peers read."""
    adj = SparseMatrix.of(gcn_filter(graph, config.direction))
    return AdjacencyInputs(x=features(graph, config.feature_norm), adj=adj)


def message_edges(graph: Graph, direction: Direction) -> Tensor:
    """`edge_index` [2, E] without self loops, turned so that PyG's source → target flow reads the chosen neighbours."""
    A = adjacency(graph, direction).tocoo()  # A[i, j]: i reads j, so the message goes j → i
    return torch.from_numpy(np.stack([A.col, A.row]).astype(np.int64))


Config = TypeVar("Config", bound=TrainingConfig)


@dataclass(frozen=True)
class Solution:
    """Logits of all nodes [n, C] by one trained model, and how it was trained (None where nothing is trained)."""

    logits: NDArray[np.float32]
    trained: Trained | None
    num_parameters: int
    seconds: float


@dataclass(frozen=True)
class ZooModel(Generic[Config]):
    """One model of the zoo.

    Args:
        name: as in `lsgnn compare --models`.
        title: as in a table.
        config: its settings class.
        prepare: everything without parameters, computed once per graph and settings; it reads no labels.
        build: the module, given its settings, the graph and its inputs.
        space: suggestions of an Optuna trial for its own search space, as settings.
        tunable: False where there is nothing to search.
    """

    name: str
    title: str
    config: type[Config]
    prepare: Callable[[Graph, Config], Any]
    build: Callable[[Config, Graph, Any], nn.Module]
    space: Callable[[Any], dict[str, Any]]
    tunable: bool = True

    def solve(self, graph: Graph, split: Split, config: Config, inputs: Any = None) -> Solution:
        """Trains on one split; `inputs` may be shared between calls that differ only in split or learning settings.

        No label of a test node is seen by what is prepared, built or trained.
        """
        start, graph = time.perf_counter(), dataclasses.replace(graph, y=split.visible(graph.y))
        self._require_memory(graph, config)
        inputs = self.prepare(graph, config) if inputs is None else inputs
        with seeded(config.seed):
            model = self.build(config, graph, inputs)
            trained = train_torch(model, inputs, graph.y, split, config)
        with torch.no_grad():
            logits = model.eval()(inputs).numpy()
        parameters = sum(p.numel() for p in model.parameters())
        return Solution(logits, trained, parameters, time.perf_counter() - start)

    def _require_memory(self, graph: Graph, config: Config) -> None:
        """Of one hidden layer, forward and back: the least that a peer with so many channels takes."""
        width = getattr(config, "hidden_channels", 0)
        require_memory(
            8 * width * (graph.num_nodes + 2 * graph.num_features),
            f"{self.title} with hidden_channels={width} on {graph.num_nodes} nodes",
            "lower hidden_channels",
        )
