r"""Features that users forget: log degrees as columns beside their own, on one scale, in every model alike.

A graph with `structure_features="degrees"` is read as

.. math::
    \big[\, \mathrm{norm}(X) \;\big\|\; (\log(1 + d_{out}) - \mu_{out}) / \sigma_{out} \;\big\|\;
    (\log(1 + d_{in}) - \mu_{in}) / \sigma_{in} \;\big\|\; 1 \,\big],

where d counts distinct edges without self loops and weights, and norm is the model's `feature_norm`: rows are scaled
before the degrees join them, so that these are not drowned. Where every edge goes both ways, one column says it all.
The last column is the measure of the others: LSGNN scales what it makes of a row to length one, and beside a constant
the direction of a row still tells how large it was.
:math:`\mu` and :math:`\sigma` are those of the graph that was trained on; other graphs and new nodes are brought to
them. No label is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.config import TrainingConfig
from lsgnn.graph.graph import Features, Graph
from lsgnn.graph.new_nodes import NewNodes
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.feature_norm import normalize_features

Config = TypeVar("Config", bound=TrainingConfig)
Edges = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DegreeScale:
    """Mean and standard deviation of each column of log degrees: of one on an undirected graph, else of out and in."""

    mean: Floats
    std: Floats

    @classmethod
    def of(cls, edge_index: Edges, n: int) -> Self:
        """Of the n nodes that were trained on."""
        columns = log_degrees(edge_index, n, two_ways=_has_one_way_edge(edge_index, n))
        return cls(columns.mean(axis=0), columns.std(axis=0))

    def columns(self, edge_index: Edges, n: int) -> NDArray[np.float32]:
        """Log degrees of any n nodes on this scale [n, 1 or 2]; zero where all trained nodes had the same degree."""
        centred = log_degrees(edge_index, n, two_ways=len(self.mean) == 2) - self.mean
        varies = self.std > 1e-7 * self.mean  # not by rounding alone
        return np.divide(centred, self.std, out=np.zeros_like(centred), where=varies).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Scales:
    """The scales of the graph that a model was trained on, which other graphs and new nodes are brought to.

    Args:
        columns: of standardised columns; None where they are not standardised.
        degrees: of log degrees; None where they are not read.
    """

    columns: ColumnScale | None = None
    degrees: DegreeScale | None = None

    @classmethod
    def of(cls, graph: Graph, config: TrainingConfig) -> Self:
        """Those that a model with these settings needs of its own graph."""
        standard = getattr(config, "feature_norm", "none") == "standard"
        return cls(
            ColumnScale.of(sparse_if_mostly_zero(graph.x)) if standard else None,
            DegreeScale.of(graph.edge_index, graph.num_nodes) if reads_degrees(config) else None,
        )


def reads_degrees(config: TrainingConfig) -> bool:
    """True if degrees join the columns; look-ups scale no column and ignore them, and trees have them anyway."""
    return config.structure_features == "degrees" and hasattr(config, "feature_norm")


def with_structure(graph: Graph, config: Config, scales: Scales | None = None) -> tuple[Graph, Config]:
    """The graph with scaled features and degrees for columns, and settings that leave them so; else both as they are.

    Whoever prepares such a graph needs to know nothing of degrees. `scales` are by default the graph's own.
    """
    if not reads_degrees(config):
        return graph, config
    scales = scales or Scales.of(graph, config)
    assert scales.degrees is not None
    degrees = scales.degrees.columns(graph.edge_index, graph.num_nodes)
    x = _beside(_scaled(graph.x, config, scales), degrees)
    added = (*(f"log degree {c}" for c in range(degrees.shape[1])), "constant")
    names = [f"structure_features: {name}" for name in added] if graph.feature_names else []
    return replace(graph, x=x, feature_names=(*graph.feature_names, *names)), without_structure(config)


def new_with_structure(known: int, new: NewNodes, config: TrainingConfig, scales: Scales) -> NewNodes:
    """The same of new nodes, numbered after the `known` ones: they get the degrees that their own edges give them."""
    if scales.degrees is None or not reads_degrees(config):
        return new
    m = new.x.shape[0]
    near, ends = np.unique(np.where(new.edge_index < known, new.edge_index, -1), return_inverse=True)
    # numbers of the few nodes around: the new ones first
    edge_index = np.where(new.edge_index < known, ends.reshape(new.edge_index.shape) + m, new.edge_index - known)
    degrees = scales.degrees.columns(edge_index, m + len(near))[:m]
    return replace(new, x=_beside(_scaled(new.x, config, scales), degrees))


def without_structure(config: Config) -> Config:
    """Settings for a graph that `with_structure` has made: its columns are as they should be."""
    return config.replace(feature_norm="none", structure_features="none") if reads_degrees(config) else config


def log_degrees(edge_index: Edges, n: int, two_ways: bool) -> Floats:
    """log(1 + degree) of n nodes over distinct edges without self loops: out and in [n, 2], or of both as one [n, 1].

    As one, a neighbour counts once, whichever way its edges go.
    """
    source, target = edge_index[:, edge_index[0] != edge_index[1]].astype(np.int64)
    if not two_ways:
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
    source, target = np.divmod(_distinct(source * n + target), n)
    ends = (source, target) if two_ways else (source,)
    return np.log1p(np.stack([np.bincount(end, minlength=n) for end in ends], axis=1).astype(np.float64))


def _has_one_way_edge(edge_index: Edges, n: int) -> bool:
    source, target = edge_index.astype(np.int64)
    return not np.array_equal(_distinct(source * n + target), _distinct(target * n + source))


def _distinct(numbers: Edges) -> Edges:
    """Each once, in order; by sorting, which for a million numbers is fifty times as fast as numpy's own `unique`."""
    ordered = np.sort(numbers)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def _scaled(x: Features, config: Any, scales: Scales) -> Features:
    return normalize_features(sparse_if_mostly_zero(x), config.feature_norm, scales.columns)


def _beside(x: Features, degrees: NDArray[np.float32]) -> Features:
    """Both side by side, and a column of ones; sparse features stay sparse."""
    columns = np.concatenate([degrees, np.ones((len(degrees), 1), np.float32)], axis=1)
    if sp.issparse(x):
        joined: sp.csr_array = sp.hstack([sp.csr_array(x), sp.csr_array(columns)], format="csr")
        return joined
    return np.concatenate([np.asarray(x, dtype=np.float32), columns], axis=1)
