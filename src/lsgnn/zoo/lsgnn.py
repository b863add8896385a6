"""LSGNN itself (Chen et al., IJCAI 2023), the first model of the zoo; the method lives in `propagate/` and `nn/`.

Against the official code: in nothing but the trainer. The same weights give the same logits, which the tests check
against stored outputs of the released code. Where paper and code disagree (degrees, self loops in LocalSim, the sign of
the Euclidean similarity) a hyperparameter takes either side, and the `released` presets take the code's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.new_nodes import NewNodes
from lsgnn.graph.splits import Split
from lsgnn.nn.attached_rows import attached_rows, links_of_new
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import Rows, make_rows
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.precompute import Precomputed, precompute
from lsgnn.propagate.structure_features import Scales, new_with_structure, without_structure
from lsgnn.train.engine import Engine
from lsgnn.train.loop import OnEpoch
from lsgnn.train.trained import Trained
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True)
class LSGNNEntry(Model[LSGNNConfig]):
    """Trains by the quickest engine that supports the settings; after propagation a node is a row."""

    def train(
        self,
        graph: Graph,
        inputs: Precomputed,
        split: Split,
        config: LSGNNConfig,
        *,
        engine: Engine = "auto",
        device: str = "cpu",
        on_epoch: OnEpoch | None = None,
        threads: int | None = None,
    ) -> Trained:
        from lsgnn.train.train_lsgnn import train  # compiles kernels: not before they are needed

        y = split.visible(graph.y)
        return train(inputs, y, graph.num_classes, split, config, engine, device, on_epoch, threads)

    def trains_in_threads(self, config: LSGNNConfig, engine: Engine) -> bool:
        from lsgnn.train.fused import supports

        return engine != "torch" and supports(config)

    def quick_logits(
        self, graph: Graph, inputs: Precomputed, config: LSGNNConfig, state_dict: Mapping[str, Tensor]
    ) -> NDArray[np.float32]:
        """By the fused engine where it can, which never forms the rows of all hops."""
        from lsgnn.train.fused import logits_cpu, supports

        if supports(config):
            return logits_cpu(inputs, config, state_dict)
        return super().quick_logits(graph, inputs, config, state_dict)

    def readable(self, inputs: Precomputed, config: LSGNNConfig) -> Rows:
        return make_rows(inputs, config)

    def module(self, graph: Graph, inputs: Precomputed, config: LSGNNConfig, state_dict: Mapping[str, Tensor]) -> LSGNN:
        return LSGNN.from_weights(config, state_dict, graph.num_nodes)

    def attached(
        self,
        graph: Graph,
        inputs: Precomputed,
        new: NewNodes,
        config: LSGNNConfig,
        scales: Scales,
        exact: bool,
    ) -> Rows:
        """Known nodes stay as they are, unless the exact way is asked for (see `lsgnn.nn.attached_rows`) or neighbours
        do not know all that is read."""
        if exact or config.reads_beyond_neighbours:
            rows: Rows = super().attached(graph, inputs, new, config, scales, exact)
            return rows if inputs.links is None else replace(rows, links=_links_of_enlarged(inputs, new))
        new = new_with_structure(graph.num_nodes, new, config, scales)
        return attached_rows(graph, inputs, new, without_structure(config))


def _links_of_enlarged(inputs: Precomputed, new: NewNodes) -> SparseMatrix:
    """Links of all nodes of an enlarged graph to the known ones [n+m, n]; those of known nodes are not asked for."""
    n = inputs.num_nodes
    known = sp.csr_array((n, n), dtype=np.float32)
    return SparseMatrix.of(sp.csr_array(sp.vstack([known, links_of_new(inputs, new, n)])))


def build(config: LSGNNConfig, graph: Graph, inputs: Precomputed) -> LSGNN:
    kept = inputs.compared.nnz if inputs.compared is not None and config.has_first_model else 0
    return LSGNN.from_config(config, inputs.x.shape[1], graph.num_classes, graph.num_nodes, kept)


def space(trial: Any) -> dict[str, Any]:
    """The paper's search space."""
    from lsgnn.zoo.lsgnn_space import paper_space  # needs Optuna: not before a search

    return paper_space(trial)


MODEL = LSGNNEntry("lsgnn", "LSGNN", LSGNNConfig, precompute, build, space, explains=True, engines=("cpu", "torch"))
