"""`LabelledRun`: the labelled nodes of a store as a `Run`, so that stores are scored, decided and shown as graphs are.

Features, edges and all other nodes stay in the store; its graph has none. What is read of every labelled node is its
logits, a few numbers; whatever needs the rows themselves gets those of a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import Rows
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.store import Store
from lsgnn.runs.run import Run
from lsgnn.train.ensemble import mean_logits
from lsgnn.train.trained import Trained

SAMPLE = 5_000  # rows in memory at a time
KIND = "store "  # before the name of the folder, which might be that of a dataset


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledRun(Run):
    """A run whose graph is the labelled nodes of a store, without features or edges.

    Args:
        store: where the rest is.
        known_logits: of all labelled nodes [m, C].
    """

    store: Store = field(repr=False)
    known_logits: NDArray[np.float32] = field(repr=False)

    @cached_property
    def modules(self) -> list[Any]:
        return models_of(self.config, self.members, self.store)

    @cached_property
    def logits(self) -> NDArray[np.float32]:
        return self.known_logits

    @cached_property
    def rows(self) -> Rows:
        """Those of labelled nodes drawn at random, or of all if they are few."""
        m = self.graph.num_nodes
        drawn = np.arange(m) if m <= SAMPLE else np.random.default_rng(0).choice(m, SAMPLE, replace=False)
        return self.rows_at(np.sort(drawn))

    def rows_at(self, nodes: NDArray[np.int64]) -> Rows:
        return StoredRows(self.store, self.config).labelled(nodes)


def labelled_graph(store: Store) -> tuple[Graph, Split]:
    """The labelled nodes of a store with their ids and classes, and the parts they are in."""
    labelled = store.array("labelled")
    graph = Graph(
        x=sp.csr_array((len(labelled), store.manifest.num_features), dtype=np.float32),
        edge_index=np.zeros((2, 0), np.int64),
        y=np.asarray(store.array("y")[labelled]),
        node_ids=np.asarray(store.array("node_ids")[labelled]),
        class_names=store.class_names,
        name=f"{KIND}{store.folder.name}",
    )
    return graph, Split(*(np.asarray(store.array(part)[labelled]) for part in ("train", "val", "test")))


def models_of(config: LSGNNConfig, members: Sequence[Trained], store: Store) -> list[LSGNN]:
    """The module of each member, in evaluation mode."""
    return [LSGNN.from_weights(config, member.state_dict, store.num_nodes) for member in members]


@torch.no_grad()
def labelled_logits(
    store: Store, config: LSGNNConfig, members: Sequence[Trained], places: NDArray[np.int64] | None = None
) -> NDArray[np.float32]:
    """Logits of all labelled nodes [m, C], or of those at some places; of several members, the log of their mean
    probability."""
    rows, models, found = StoredRows(store, config), models_of(config, members, store), list[NDArray[np.float32]]()
    wanted, at_once = np.arange(len(store.array("labelled"))) if places is None else places, min(SAMPLE, rows.at_once)
    for start in range(0, len(wanted), at_once):
        part = rows.labelled(wanted[start : start + at_once])
        found.append(mean_logits([model(part).numpy() for model in models]))
    return np.concatenate(found)
