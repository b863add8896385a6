"""Plug-and-play LocalSim, as in the LSGNN paper: node-level weights in a host that mixes hops.

The hosts are `gprgnn` and `dagnn`, whose own weights they replace, and `h2gcn`, which has none: there they scale its
blocks, and its classifier stays. Nothing else changes: same graph, same hops, same filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from lsgnn.config import LSGNNConfig, Similarity
from lsgnn.graph.graph import Graph
from lsgnn.nn.localsim import LocalSimWeights
from lsgnn.nn.rows import Neighbours
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.precompute import neighbour_similarity
from lsgnn.zoo.inputs import AdjacencyInputs, BaselineConfig, gcn_inputs

HostWeights = Literal["original", "localsim"]
LocalSimInit = Literal["host", "default"]


@dataclass(frozen=True, kw_only=True)
class PluginConfig(BaselineConfig):
    """Settings of a host; those of LocalSim matter only with `weights="localsim"`."""

    weights: HostWeights = "original"
    localsim_init: LocalSimInit = "host"  # host: start near the host's own weights; default: as LSGNN does
    similarity: Similarity = "cosine"


@dataclass(frozen=True, kw_only=True)
class PluginInputs(AdjacencyInputs):
    """Features, the host's filter, and similarities if LocalSim is asked for."""

    neighbours: Neighbours | None = None


def plugin_inputs(graph: Graph, config: PluginConfig, columns: ColumnScale | None = None) -> PluginInputs:
    inputs = gcn_inputs(graph, config, columns)
    return PluginInputs(x=inputs.x, adj=inputs.adj, neighbours=host_neighbours(graph, config, columns))


def host_neighbours(graph: Graph, config: PluginConfig, columns: ColumnScale | None = None) -> Neighbours | None:
    """Similarities over the host's graph, self loops excluded; whatever the host's features, these have length one."""
    if config.weights == "original":
        return None
    settings = LSGNNConfig(direction=config.direction, similarity=config.similarity)
    x = normalize_features(graph.x, "standard", columns) if config.feature_norm == "standard" else graph.x
    return Neighbours.of(neighbour_similarity(graph, normalize_features(x, "l2"), settings))


def host_localsim(start: Sequence[float], hidden_channels: int, init: LocalSimInit) -> LocalSimWeights:
    """One weight per entry of `start`, the host's own at first; as wide as the host, so that no setting is new."""
    weights = LocalSimWeights(len(start), hidden_channels)
    if init == "host":
        weights.start_at(torch.tensor(start))
    return weights
