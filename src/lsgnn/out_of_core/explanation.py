"""Why is a node of a store classified as it is? `lsgnn.runs.explanation` for a graph that stays on disk.

Percentiles are among `COMPARED` nodes drawn at random. Where a store keeps the hops of labelled nodes only, those
can be explained, and of other neighbours no prediction is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.lookup import MAX_COMPARED, find, spellings
from lsgnn.nn.contributions import contributions
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import Neighbours, Rows
from lsgnn.out_of_core.layout import filter_neighbours, hop, similarity_neighbours
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_run import StoredRun
from lsgnn.propagate.similarity import edge_similarity
from lsgnn.runs.explanation import Explanation, Neighbour, localsim_of, mean_of, percentile
from lsgnn.softmax import softmax
from lsgnn.train.ensemble import mean_logits

COMPARED = 10_000  # nodes that the explained one is compared with


def explain(run: StoredRun, store: Store, node_id: Any, member: int | None = None) -> Explanation:
    """Explains one node of a store: by the mean of all members, or by one of them."""
    run.require_same_columns(store)
    if member is not None and not 0 <= member < len(run.models):
        raise InputError(f"member {member} does not exist: the run has members 0..{len(run.models) - 1}")
    told = _Told(run, store, run.models if member is None else [run.models[member]])
    i = _number_of(store, node_id)
    parts = [contributions(model, told.rows_of([i])) for model in told.models]
    probabilities = told.probabilities([i])[0]
    phi, naive = told.localsim(i)
    names = ("logits", "alpha", "own", "hops", "links", "bias")
    return Explanation(
        node_id=store.array("node_ids")[i].item(),
        label=told.label(i),
        part=next((part for part in ("train", "val", "test") if store.array(part)[i]), None),
        prediction=told.said(probabilities),
        class_names=run.class_names,
        probabilities=probabilities,
        localsim=None if phi is None else float(phi[0]),
        localsim_percentile=None if phi is None else percentile(phi, 0),
        naive_localsim=float(naive[0]),
        naive_percentile=percentile(naive, 0),
        neighbours=told.neighbours(i),
        hop_names=run.config.hop_names,
        members=len(told.models),
        **{name: mean_of([getattr(part, name)[0] for part in parts]) for name in names},
    )


class _Told:
    """What some models say of nodes of a store."""

    def __init__(self, run: StoredRun, store: Store, models: list[LSGNN]) -> None:
        self.run, self.store, self.models = run, store, models
        self.rows, self.y = StoredRows(store, run.config), store.array("y")

    def rows_of(self, nodes: list[int]) -> Rows:
        """Their rows, as far as the store keeps them."""
        if self.store.manifest.keep == "all":
            return self.rows.of(np.array(nodes))
        if unknown := [i for i in nodes if self.y[i] < 0]:
            raise InputError(
                f"node {self.store.array('node_ids')[unknown[0]].item()!r} has no label, and the store keeps the hops "
                "of labelled nodes only: explain a labelled one, or make a store that keeps all"
            )
        return self.rows.labelled(np.searchsorted(self.store.array("labelled"), nodes))

    @torch.no_grad()
    def probabilities(self, nodes: list[int]) -> NDArray[np.float64]:
        rows = self.rows_of(nodes)
        logits = mean_logits([model(rows).numpy() for model in self.models])
        return np.asarray(softmax(logits.astype(np.float64) / self.run.temperature, axis=1))

    def said(self, probabilities: NDArray[np.float64]) -> str:
        decision = self.run.decision
        chosen = probabilities.argmax() if decision is None else decision.predicted(probabilities[None])[0]
        return self.run.class_names[int(chosen)]

    def label(self, i: int) -> str | None:
        return self.run.class_names[self.y[i]] if self.y[i] >= 0 else None

    @torch.no_grad()
    def localsim(self, i: int) -> tuple[NDArray[np.float32] | None, NDArray[np.float32]]:
        """Learned (None where the weights read none) and naive LocalSim: of node i first, then of those it is compared
        with."""
        n = self.store.num_nodes
        drawn = np.arange(n) if n <= COMPARED else np.random.default_rng(0).choice(n, COMPARED, replace=False)
        near: Neighbours = self.rows.neighbours(np.concatenate([[i], drawn[drawn != i]]))
        learned = [phi for model in self.models if (phi := localsim_of(model, near)) is not None]
        return np.mean(learned, axis=0) if learned else None, near.mean(near.values).numpy()

    def neighbours(self, i: int) -> tuple[Neighbour, ...]:
        """The nodes that node i reads in one hop, the largest weight first."""
        store, name = self.store, filter_neighbours(self.store.config)
        edges = slice(*store.array(f"{name}/indptr")[i : i + 2].tolist())
        near = np.asarray(store.array(f"{name}/indices")[edges]).astype(np.int64)
        keeps = store.manifest.keep == "all"
        known = [j for j in near.tolist() if keeps or self.y[j] >= 0]
        predicted = dict(zip(known, map(self.said, self.probabilities(known)), strict=True)) if known else {}
        found = [
            Neighbour(
                node_id=store.array("node_ids")[j].item(),
                similarity=similarity,
                weight=weight,
                label=self.label(j),
                prediction=predicted.get(j),
            )
            for j, similarity, weight in zip(
                near.tolist(),
                self._similarities(i, near),
                store.array("filter_values")[edges].tolist(),
                strict=True,
            )
        ]
        return tuple(sorted(found, key=lambda neighbour: (-neighbour.weight, -neighbour.similarity)))

    def _similarities(self, i: int, near: NDArray[np.int64]) -> list[float]:
        """Of node i to the nodes near it: those on disk, or computed anew where LocalSim reads other neighbours."""
        store, config = self.store, self.store.config
        if similarity_neighbours(config) == filter_neighbours(config):
            edges = slice(*store.array(f"{filter_neighbours(config)}/indptr")[i : i + 2].tolist())
            return [float(value) for value in store.array("similarity")[edges]]
        nodes, blocks = np.concatenate([[i], near]), range(len(store.manifest.blocks))
        x = np.concatenate([store.array(hop(0, block))[nodes] for block in blocks], axis=1).astype(np.float32)
        pairs = np.stack([np.zeros(len(near), np.int64), np.arange(1, len(nodes))])
        found: list[float] = edge_similarity(x, pairs, config.similarity, config.euclid_sign).tolist()
        return found


def _number_of(store: Store, node_id: Any) -> int:
    """The number of a node by its id, in one look at all ids; 17 finds "17" and the other way round."""
    ids = store.array("node_ids")
    for candidate in spellings(node_id):
        if isinstance(candidate, str) == (ids.dtype.kind == "U") and len(found := np.flatnonzero(ids == candidate)):
            return int(found[0])
    some = {id: i for i, id in enumerate(ids[:MAX_COMPARED].tolist())}  # none of them, but one may be meant
    return int(find(some, [node_id], str(store.folder))[0])
