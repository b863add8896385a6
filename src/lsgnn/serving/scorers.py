"""From new nodes to logits, for a run that stays loaded.

`LocalScorer` is for LSGNN: a new node costs what its own edges cost, whatever the size of the graph.
`WholeGraphScorer` is for every other model that can read new nodes, and for smoothed LocalSim, which reads neighbours'
neighbours: each answer is computed on the enlarged graph.
Both give what `Run.predict_new` gives. Nodes that are kept are known to those that come later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from lsgnn.graph.graph import Features
from lsgnn.graph.new_nodes import NewNodes, any_sparse, weight_of
from lsgnn.memory import require_memory
from lsgnn.nn.attached_channels import AttachedChannels, Sums, known_sums, sums_per_node
from lsgnn.nn.attached_rows import links_of_new, local_edges
from lsgnn.nn.attachment import Surroundings, attach
from lsgnn.nn.rows import Rows
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.filters import adjacency, row_sums
from lsgnn.propagate.irdc import MAX_BASIS_K
from lsgnn.propagate.precompute import mixing
from lsgnn.propagate.structure_features import new_with_structure, without_structure
from lsgnn.runs.run import Run
from lsgnn.serving.growing import GrowingArray, growing
from lsgnn.train.ensemble import mean_logits
from lsgnn.zoo.protocol import logits_of

Logits = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Scored:
    """Logits of new nodes [m, C], and what a scorer needs to keep them."""

    logits: Logits
    state: Any


class Scorer(Protocol):
    def score(self, new: NewNodes) -> Scored:
        """New nodes, numbered after those that are known or kept."""

    def keep(self, scored: Scored) -> None:
        """From now on these nodes are known."""

    def logits(self, numbers: NDArray[np.int64]) -> Logits:
        """Logits of nodes that are known or kept [b, C]."""


def scorer_of(run: Run) -> Scorer:
    return LocalScorer(run) if LocalScorer.can_score(run) else WholeGraphScorer(run)


@dataclass(frozen=True, eq=False)
class _Local:
    """What later nodes read of new ones: scaled features [m, d], degrees [m], partial sums of each member."""

    x: Features
    degree: NDArray[np.float64]
    sums: list[Sums]


class LocalScorer:
    """Known nodes stay as they are, and so do those that are kept (see `lsgnn.nn.attached_rows`)."""

    def __init__(self, run: Run) -> None:
        self.run, self.config, inputs = run, without_structure(run.config), run.inputs
        first = [module.reduce.weights[0] for module in run.modules]
        kept = sum(sums_per_node(self.config, weight) for weight in first)
        require_memory(
            8 * run.graph.num_nodes * kept,
            f"what {run.graph.num_nodes} nodes hand on to new ones",
            "train with a lower K, fewer hidden_channels or fewer members",
        )
        self._x = growing(inputs.x)
        self._degree = GrowingArray(row_sums(adjacency(run.graph, self.config.read_direction)))
        self._sums = [GrowingArray(known_sums(inputs, self.config, weight)) for weight in first]
        self._logits = GrowingArray(run.logits)
        self._mixing = torch.from_numpy(mixing(self.config)).float()

    @staticmethod
    def can_score(run: Run) -> bool:
        config = run.config
        if run.model != "lsgnn" or config.K > MAX_BASIS_K or config.tied_to_nodes:
            return False
        return not config.reads_beyond_neighbours

    @torch.no_grad()
    def score(self, new: NewNodes) -> Scored:
        run, config, known = self.run, self.config, len(self._degree)
        new = new_with_structure(known, new, run.config, run.scales)
        near = np.unique(new.edge_index[new.edge_index < known])
        require_memory(
            8 * len(near) * sum(sums.base.shape[1] for sums in self._sums),
            f"attaching {len(new.node_ids)} nodes with {len(near)} known neighbours",
            "attach fewer at a time",
        )
        x = normalize_features(new.x, config.feature_norm, run.inputs.columns)
        weighted = run.graph.edge_weight is not None or new.edge_weight is not None
        surroundings = Surroundings(self._x.take(near), self._degree.take(near))
        edges = local_edges(new.edge_index, near, known)
        attachment = attach(surroundings, x, edges, weight_of(new) if weighted else None, config)
        adj = attachment.adj.astype(np.float32)
        channels = [AttachedChannels(x, adj, sums.take(near), self._mixing) for sums in self._sums]
        links = None if run.inputs.links is None else SparseMatrix.of(links_of_new(run.inputs, new, known))
        members = [
            logits_of(module, Rows(own, attachment.neighbours, links))
            for module, own in zip(run.modules, channels, strict=True)
        ]
        state = _Local(x, attachment.degree, [np.concatenate(own.sums, axis=1) for own in channels])
        return Scored(mean_logits(members), state)

    def keep(self, scored: Scored) -> None:
        state: _Local = scored.state
        self._x.append(state.x)
        for mine, sums in zip(self._sums, state.sums, strict=True):
            mine.append(sums)
        self._logits.append(scored.logits)
        self._degree.append(state.degree)

    def logits(self, numbers: NDArray[np.int64]) -> Logits:
        order = np.argsort(numbers, kind="stable")
        found = self._logits.take(numbers[order])
        out = np.empty_like(found)
        out[order] = found
        return out


class WholeGraphScorer:
    """Every answer is that of the graph with all kept nodes and the new ones; kept nodes see later ones, too."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._kept: NewNodes | None = None
        self._known: Logits | None = run.logits

    def score(self, new: NewNodes) -> Scored:
        together = new if self._kept is None else _joined(self._kept, new)
        return Scored(self.run.logits_new(together, exact=False)[-len(new.node_ids) :], together)

    def keep(self, scored: Scored) -> None:
        self._kept, self._known = scored.state, None

    def logits(self, numbers: NDArray[np.int64]) -> Logits:
        if self._known is None:
            assert self._kept is not None
            self._known = np.concatenate([self.run.logits, self.run.logits_new(self._kept, exact=False)])
        return self._known[numbers]


def _joined(kept: NewNodes, new: NewNodes) -> NewNodes:
    weighted = kept.edge_weight is not None or new.edge_weight is not None
    return NewNodes(
        sp.vstack([kept.x, new.x], format="csr") if any_sparse(kept.x, new.x) else np.concatenate([kept.x, new.x]),
        np.concatenate([kept.edge_index, new.edge_index], axis=1),
        np.concatenate([weight_of(kept), weight_of(new)]) if weighted else None,
        np.concatenate([kept.node_ids, new.node_ids]),
    )
