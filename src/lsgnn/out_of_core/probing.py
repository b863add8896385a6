"""What nobody decided is chosen for a store as `lsgnn.runs.probe` does for a graph: by short training runs.

A store holds hops 0 … K of one direction and one scaling, so that fewer hops, γ, the weights of classes, how to learn,
batch norm and LSGNN's kind of weights are open. The runs see a sample of the training rows and are judged by one of
validation rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lsgnn.config import LSGNNConfig
from lsgnn.errors import TrainingDiverged
from lsgnn.graph.graph import Graph
from lsgnn.out_of_core.labelled_run import labelled_logits
from lsgnn.out_of_core.sampling import stratified_sample
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.training import Parts, parts_of, train_stored
from lsgnn.runs.decisions import Decisions
from lsgnn.runs.defaults import Draft
from lsgnn.runs.paired import Judged
from lsgnn.runs.probe import Choice, OnStage
from lsgnn.runs.stages import Stage, first_options, stages
from lsgnn.train.engine import Engine
from lsgnn.train.metrics import Metric, positive_class

# of what LSGNN leaves to the validation nodes (`lsgnn.runs.stages.LSGNN_OPEN`), the part that a store can change
OPEN = (
    *("class_weight", "K", "gamma", "hidden_channels", "dropout", "weight_decay", "lr"),
    *("weights", "reduce_norm", "out_norm"),
)
BY_BATCH = {"hidden_channels": 32, "dropout": 0.9, "weight_decay": 5e-4, "lr": 0.01}
FEW_HOPS = 2
ROWS = 4_000  # to learn from, and as many to judge
EPOCHS = 60


def draft_of(store: Store) -> Draft:
    """What `fit_stored` starts from: the settings of the store; those that it left at their default are open."""
    default, made = LSGNNConfig(), store.config
    left = {name for name in OPEN if name == "K" or getattr(made, name) == getattr(default, name)}
    return Draft(made, frozenset(left))


def probed(
    store: Store,
    graph: Graph,
    drafted: Draft,
    metric: Metric,
    *,
    batch_size: int,
    engine: Engine = "auto",
    alone: bool = True,
    on_stage: OnStage | None = None,
) -> tuple[LSGNNConfig, Choice | None]:
    """The configuration with what is open decided, and how; as it is if nothing is.

    Args:
        graph: the labelled nodes of the store.
        alone: whether one process will train on whole batches, which batch norm needs.
    """
    config: LSGNNConfig = drafted.config
    todo = [stage for stage in _stages(store, graph, drafted, metric, alone) if len(stage.options) > 1]
    if not todo:
        return config, None
    parts = _sampled(parts_of(store), graph)
    config = config.replace(epochs=min(config.epochs, EPOCHS), **first_options(todo))
    probing = Decisions(
        lambda candidate: _judged(store, graph, candidate, parts, metric, batch_size=batch_size, engine=engine),
        config,
        drafted.config.epochs,
    )
    for stage in todo:
        if on_stage is not None:
            on_stage(stage.name)
        probing.decide(stage)
    chosen = {name: getattr(probing.config, name) for stage in todo for name in stage.options[0]}
    return drafted.config.replace(**chosen), Choice(chosen, tuple(probing.tried), metric)


def _stages(store: Store, graph: Graph, drafted: Draft, metric: Metric, alone: bool) -> list[Stage]:
    """Those of a graph in memory, with hops up to those of the store."""
    every = stages(graph, drafted.config, drafted.open_to - {"K"}, metric)
    every = [_magnitude(drafted) if stage.name == "magnitude" and alone else stage for stage in every]
    if "K" not in drafted.open_to or store.config.K <= FEW_HOPS:
        return every
    hops = Stage("hops", ({"K": FEW_HOPS}, {"K": store.config.K}))
    return [*(stage for stage in every if stage.name == "class weights"), hops] + [
        stage for stage in every if stage.name != "class weights"
    ]


def _magnitude(drafted: Draft) -> Stage:
    """Rows of length one, or batch norm with what suits it (see `lsgnn.runs.stages`); there is nothing to choose where
    the user named one of the norms, or the store's features are rows of length one themselves."""
    rows: dict[str, Any] = {"reduce_norm": "row", "out_norm": True}
    if not rows.keys() <= drafted.open_to or drafted.config.feature_norm == "l2":
        return Stage("magnitude", (rows,))
    learning = {name: value for name, value in BY_BATCH.items() if name in drafted.open_to}
    kept = {"reduce_norm": "batch", "out_norm": False} | learning
    return Stage("magnitude", (rows, kept), titles=("rows of length one", "batch norm"))


def _sampled(parts: Parts, graph: Graph) -> Parts:
    train, val = (stratified_sample(places, graph.y[places], ROWS) for places in parts)
    return train, val


def _judged(
    store: Store, graph: Graph, config: LSGNNConfig, parts: Parts, metric: Metric, **how: Any
) -> Judged | TrainingDiverged:
    try:
        trained = train_stored(store, config, parts=parts, **how)
    except TrainingDiverged as error:
        return error
    val, seen = parts[1], np.concatenate(parts)
    logits = labelled_logits(store, config, [trained], val)
    return Judged(metric, positive_class(graph.y[seen]), (logits,), (graph.y[val],))
