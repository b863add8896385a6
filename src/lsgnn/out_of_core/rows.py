"""Some nodes of a store → `Rows`, what the model reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import Channels, DenseChannels, Neighbours, Rows
from lsgnn.out_of_core.layout import hop, similarity_neighbours
from lsgnn.out_of_core.reduced import Reduced, channel_mixing
from lsgnn.out_of_core.settings import require_suited
from lsgnn.out_of_core.store import Store
from lsgnn.propagate.similarity import NeighbourSimilarity, mean_and_std

BYTES_PER_NEIGHBOUR = 160  # that a neighbour's similarity takes, with its place in sparse matrices and their gradients


@dataclass(frozen=True, eq=False)
class StoredRows:
    """The rows of a store for a model with these settings."""

    store: Store
    config: LSGNNConfig

    def __post_init__(self) -> None:
        require_suited(self.store, self.config)

    def labelled(self, places: NDArray[np.integer]) -> Rows:
        """Rows of the labelled nodes at these places among all labelled ones."""
        basis = self.files["rows"][np.asarray(places)][:, : self.config.K + 1].astype(np.float32, copy=False)
        return self._rows(self._channels(basis), self.files["labelled"][places])

    def range(self, start: int, stop: int, reduced: Reduced | None = None) -> Rows:
        """Rows of the nodes start … stop-1, labelled or not.

        Args:
            reduced: their products with a model's first matrices; a store that keeps no hops of theirs needs them.
        """
        if reduced is not None:
            return self._rows(reduced.rows(start, stop), np.arange(start, stop))
        return self.of(slice(start, stop))

    def of(self, nodes: slice | NDArray[np.integer]) -> Rows:
        """Rows of any nodes of a store that keeps all hops."""
        numbers = np.arange(nodes.start, nodes.stop) if isinstance(nodes, slice) else nodes
        basis = np.empty((len(numbers), self.config.K + 1, self.store.manifest.num_features), np.float32)
        for block, (first, last) in enumerate(self.store.manifest.blocks):
            for s in range(self.config.K + 1):
                basis[:, s, first:last] = self.store.array(hop(s, block))[nodes]
        return self._rows(self._channels(basis), numbers)

    def neighbours(self, nodes: NDArray[np.integer]) -> Neighbours:
        """What LocalSim reads of any nodes."""
        return Neighbours.of(self.similarities(nodes))

    @property
    def at_once(self) -> int:
        """How many rows the memory allows."""
        manifest = self.store.manifest
        return max(1, manifest.memory // (64 * (self.config.K + 1) * manifest.num_features))

    def chunks(self) -> Iterator[tuple[int, int]]:
        """[first, last) of ranges that cover all nodes, each with as many rows and edges as the memory allows."""
        memory, indptr, rows = self.store.manifest.memory, self.files["indptr"], self.at_once
        start = 0
        while start < self.store.num_nodes:
            within = int(np.searchsorted(indptr, indptr[start] + memory // BYTES_PER_NEIGHBOUR, side="right")) - 1
            stop = min(start + rows, max(within, start + 1), self.store.num_nodes)
            yield start, stop
            start = stop

    def set_scales(self, model: LSGNN) -> None:
        """Measures the similarities and degrees of the store for a model that standardises them."""
        if self.config.localsim_scale == "standard" or self.config.localsim_degree:
            log_degree = np.log1p(np.diff(self.files["indptr"]))
            model.set_scales(mean_and_std(self.files["similarity"]), mean_and_std(log_degree))

    def _rows(self, channels: Channels, nodes: NDArray[np.integer]) -> Rows:
        return Rows(channels, self.neighbours(nodes))

    def _channels(self, basis: NDArray[np.float32]) -> DenseChannels:
        """From Â^s X of some nodes [b, K+1, d]."""
        return DenseChannels(torch.einsum("cs,bsd->cbd", self._coefficients, torch.from_numpy(basis)))

    @cached_property
    def _coefficients(self) -> torch.Tensor:
        return torch.from_numpy(channel_mixing(self.config))

    @cached_property
    def files(self) -> dict[str, NDArray[Any]]:
        name = similarity_neighbours(self.store.config)
        files = {file: self.store.array(file) for file in ("rows", "labelled", "similarity")}
        if self.store.manifest.weighted:
            files["weights"] = self.store.array(f"{name}/weights")
        return files | {"indptr": self.store.array(f"{name}/indptr")}

    def similarities(self, nodes: NDArray[np.integer]) -> NeighbourSimilarity:
        first, last = self.files["indptr"][nodes], self.files["indptr"][np.asarray(nodes) + 1]
        ends = np.concatenate([[0], np.cumsum(last - first)])  # of each node's edges among all of these
        edges = np.repeat(first - ends[:-1], last - first) + np.arange(ends[-1])
        weights = self.files["weights"][edges] if "weights" in self.files else np.ones(len(edges), np.float32)
        neighbours = sp.csr_array((weights, np.arange(len(edges)), ends), shape=(len(nodes), max(1, len(edges))))
        return NeighbourSimilarity.of(neighbours, self.files["similarity"][edges])
