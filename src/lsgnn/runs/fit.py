"""`fit`: a graph and a model with its settings in, a trained `Run` out."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsgnn import zoo
from lsgnn.config import TrainingConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.split_checks import check_split, default_splits
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.defaults import default_config, note_on_columns
from lsgnn.runs.probe import resolved
from lsgnn.runs.run import Run
from lsgnn.train.engine import Engine
from lsgnn.train.environment import environment
from lsgnn.train.loop import OnEpoch
from lsgnn.train.trained import require_memory_for_history
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.protocol import Model


def fit(
    graph: Any,
    config: TrainingConfig | None = None,
    *,
    model: str = "lsgnn",
    split: int | Split = 0,
    splits: Splits | None = None,
    engine: Engine = "auto",
    device: str = "cpu",
    members: int = 1,
    on_epoch: OnEpoch | None = None,
    **settings: Any,
) -> Run:
    """Trains a model on one split of a graph and reads the test nodes once, at the end.

    Args:
        graph: anything `lsgnn.as_graph` understands.
        config: settings; single ones may also be given by name (`fit(graph, K=3, lr=0.05)`). What is "auto"
            (`direction`, LSGNN's `weights`) is chosen by a quick probe of the validation nodes; without a config, LSGNN
            has both so, and columns of very different sizes are standardised; the notes tell.
        model: one of `lsgnn.zoo.names()`.
        split: which of the splits to use, or a `Split` of your own.
        splits: splits to use instead of the graph's own (or, where it has none, of stratified ones).
        engine: `cpu` is the fused engine, `torch` the plain loop on any device, `auto` the quickest that can.
        device: where the torch engine runs.
        members: number of seeds to ensemble, from `config.seed` on (probabilities are averaged; graph work is shared).
        on_epoch: called with each entry of the history: after each epoch by torch, at the end by the fused engine.
    """
    graph, entry = as_graph(graph), zoo.get(model)
    config = _config(graph, entry, config, settings)
    if not isinstance(members, int) or members < 1:
        raise InputError(f"members={members!r} is out of range: it must be a whole number, at least 1")
    if not isinstance(split, Split | int | np.integer):
        raise InputError(f"split={split!r} is of type {type(split).__name__}: pass a number or a Split")
    entry.require_engine(engine)
    chosen = split if isinstance(split, Split) else default_splits(graph, splits)[int(split)]
    require_memory_for_history(config)  # here, because a probe would be trained for nothing
    notes = check_split(graph, chosen) + note_on_columns(graph, getattr(config, "feature_norm", "none"))
    prepared = Prepared(graph)
    config, choice = resolved(prepared, entry, config, [chosen], engine)
    if choice is not None:
        notes.append(str(choice))
    inputs = prepared(entry, config)
    trained = tuple(
        entry.train(graph, inputs, chosen, config.replace(seed=seed), engine=engine, device=device, on_epoch=on_epoch)
        for seed in range(config.seed, config.seed + members)
    )
    return Run(
        graph=graph,
        model=model,
        config=config,
        split=chosen,
        members=trained,
        seconds={
            "precompute": prepared.seconds(entry, config),
            "train": sum(member.seconds for member in trained),
        },
        environment=environment(),
        notes=(*graph.notes, *notes),
        prepared=inputs,
    )


def _config(graph: Any, model: Model[Any], config: Any, settings: dict[str, Any]) -> Any:
    if config is not None and not isinstance(config, model.config):
        raise InputError(
            f"config is of type {type(config).__name__}: pass an {model.config.__name__}, or settings by name"
        )
    return (config or default_config(graph, model)).replace(**settings)
