"""`lsgnn fit --continue RUN`: a run trained again, on its graph and on the nodes that its server has kept since.

Model, configuration, seeds, metric and rule of the threshold stay as they were. Labelled new nodes are learned from;
validation and test nodes stay the same, so that scores can be compared.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.new_nodes import enlarged
from lsgnn.graph.splits import Split
from lsgnn.runs.blend import Blend, Part
from lsgnn.runs.fit import fit, with_decision
from lsgnn.runs.run import Run
from lsgnn.serving.feature_reader import feature_reader
from lsgnn.serving.incoming import read_incoming
from lsgnn.serving.journal import Journal
from lsgnn.serving.new_node import NewNode
from lsgnn.serving.node_index import NodeIndex
from lsgnn.train.decision import Decision
from lsgnn.train.environment import environment
from lsgnn.train.loop import OnEpoch
from lsgnn.zoo.prepared import Prepared


def continued(run: Run, journal: Path, on_epoch: OnEpoch | None = None) -> Run:
    """The run trained again on its graph and the nodes of the journal."""
    if not journal.is_file():
        raise InputError(
            f"{journal} does not exist, so that there is nothing new: let a server of the run keep nodes first"
        )
    kept = Journal(journal)
    try:
        nodes = [entry.node for entry in kept.news()]
    finally:
        kept.close()
    index = NodeIndex(run.graph)
    new = [node for node in nodes if index.get(node.id) is None]  # the others were learned from before
    if not new:
        raise InputError(f"the journal {journal.name} holds no node that the run does not know: keep some first")
    graph, split = grown(run, new)
    labelled = sum(node.label is not None for node in new)
    note = f"trained again with {len(new)} nodes that were kept, {labelled} of them labelled"
    again = _blend_again(run, graph, split) if isinstance(run, Blend) else _again(run, graph, split, on_epoch)
    return replace(again, notes=(note, *again.notes))


def grown(run: Run, nodes: Sequence[NewNode]) -> tuple[Graph, Split]:
    """The run's graph with the nodes behind its own, and its split, in which labelled new nodes are learned from."""
    graph = run.graph
    run.require_features_of_nodes("new nodes")
    new = read_incoming(nodes, NodeIndex(graph), feature_reader(graph), graph).attached
    larger = enlarged(graph, new)
    classes = {name: number for number, name in enumerate(graph.class_names)}
    y = [-1 if node.label is None else classes[node.label] for node in nodes]
    whole = replace(
        graph,
        x=larger.x,
        edge_index=larger.edge_index,
        edge_weight=larger.edge_weight,
        y=np.concatenate([graph.y, np.array(y, np.int64)]),
        node_ids=np.array([*graph.node_ids.tolist(), *(node.id for node in nodes)], dtype=object),
        splits=None,
        notes=(),
    )
    none, learned = np.zeros(len(nodes), bool), np.array(y) >= 0
    parts = ((run.split.train, learned), (run.split.val, none), (run.split.test, none))
    return whole, Split(*(np.concatenate(part) for part in parts))


def _again(run: Run, graph: Graph, split: Split, on_epoch: OnEpoch | None) -> Run:
    """With exactly the run's configuration: nothing of it is chosen anew."""
    return fit(
        graph,
        run.config,
        model=run.model,
        split=split,
        members=len(run.members),
        metric=run.metric,
        on_epoch=on_epoch,
        select_by=run.config.select_by,
        **_rule(run.decision),
    )


def _rule(decision: Decision | None) -> dict[str, Any]:
    """How `fit` is told to choose the threshold as it was chosen."""
    if decision is None:
        return {}
    if decision.rule == "given":
        return {"threshold": decision.threshold}
    name, _, value = decision.rule.partition("=")
    return {"cost": value} if name == "cost" else {"threshold": decision.rule}


def _blend_again(run: Blend, graph: Graph, split: Split) -> Run:
    """Every part with its own configuration and its own share."""
    prepared, start = Prepared(graph, keep=2), time.perf_counter()
    parts = tuple(
        Part(
            part.model,
            part.config,
            part.entry.train(graph, prepared(part.entry, part.config), split, part.config),
            part.share,
        )
        for part in run.parts
    )
    again = replace(
        run,
        graph=graph,
        split=split,
        parts=parts,
        members=tuple(part.trained for part in parts),
        seconds={"train": time.perf_counter() - start},
        environment=environment(),
        known_temperature=None,
        prepared=None,
        decision=None,
        notes=graph.notes,
    )
    if run.decision is None:
        return again
    rule = run.decision.threshold if run.decision.rule == "given" else run.decision.rule
    return with_decision(again, rule)
