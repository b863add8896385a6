"""`fit_stored`: a store and settings in, a trained `StoredRun` out; as `lsgnn.fit` does for a graph in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.files import make_folder
from lsgnn.out_of_core.labelled_run import LabelledRun, labelled_graph, labelled_logits
from lsgnn.out_of_core.probing import draft_of, probed
from lsgnn.out_of_core.remembered_choice import remembered
from lsgnn.out_of_core.settings import require_suited
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_run import StoredRun
from lsgnn.out_of_core.training import train_stored, why_torch
from lsgnn.out_of_core.world import World
from lsgnn.runs.defaults import Draft, chosen_metric, following
from lsgnn.runs.fit import rule_for, with_decision
from lsgnn.runs.probe import Choice, OnStage
from lsgnn.runs.run import Run
from lsgnn.train.engine import Engine
from lsgnn.train.environment import environment
from lsgnn.train.loop import OnEpoch
from lsgnn.train.metrics import Metric


def fit_stored(
    store: Store,
    config: LSGNNConfig | Draft | None = None,
    *,
    members: int = 1,
    metric: Metric | None = None,
    threshold: str | float | None = None,
    cost: str | Sequence[float] | None = None,
    batch_size: int = 8192,
    engine: Engine = "auto",
    device: str = "cpu",
    world: World | None = None,
    on_epoch: OnEpoch | None = None,
    on_stage: OnStage | None = None,
    resume: str | Path | None = None,
    **settings: Any,
) -> StoredRun:
    """Trains LSGNN on the training rows of a store and reads its test nodes once, at the end.

    Args:
        config: settings. β, γ and fewer hops than the store has may be chosen freely. Single hyperparameters may also
            be given by name. Without one, those of the store, of which short training runs on a sample of the rows
            choose what is not named (`lsgnn.out_of_core.probing`); the notes and `run.tried` tell.
        members, metric, threshold, cost: as in `lsgnn.fit`.
        batch_size: rows of one optimiser step.
        engine: the fused CPU engine wherever it can train the settings (`auto`; where it cannot, a note says why), that
            one or none (`cpu`), or the torch loop (`torch`).
        world: the processes that train together (see `lsgnn.out_of_core.world.joined_world`).
        on_stage: called with the name of each decision of the probe before it is made.
        resume: folder for the state after every epoch; a call that was killed goes on from it. Remove it afterwards.
    """
    if not isinstance(members, int) or members < 1:
        raise InputError(f"members={members!r} is out of range: it must be a whole number, at least 1")
    world = world or World()
    follows = "select_by" not in settings and (not isinstance(config, LSGNNConfig) or metric is not None)
    drafted = Draft(config) if isinstance(config, LSGNNConfig) else config or draft_of(store)
    drafted = drafted.replace(**settings)
    require_suited(store, drafted.config)
    why_torch(drafted.config, engine, device)  # raises where the engine that is asked for cannot
    graph, split = labelled_graph(store)
    metric, notes = chosen_metric(graph, [split], metric)
    rule = rule_for(graph, metric, threshold, cost)
    drafted = following(drafted, metric) if follows else drafted
    folder = None if resume is None else make_folder(resume)

    def choose() -> tuple[LSGNNConfig, Choice | None]:
        tried: dict[str, Any] = dict(batch_size=batch_size, engine=engine, alone=world.size == 1)
        decides = [store.identity, drafted.config.to_dict(), sorted(drafted.open_to), metric, tried]
        file = None if folder is None else folder / "choice.json"
        probe = partial(probed, store, graph, drafted, metric, on_stage=on_stage, **tried)
        return remembered(file, decides, metric, probe)

    settled, choice = world.of_first(choose)
    notes += [] if choice is None else [str(choice)]
    if engine == "auto" and (reason := why_torch(settled, engine, device)):
        notes.append(f"trained by the torch loop, as the CPU engine does not know {reason}")
    how: dict[str, Any] = dict(batch_size=batch_size, engine=engine, device=device, world=world, on_epoch=on_epoch)
    trained = tuple(
        train_stored(
            store,
            settled.replace(seed=seed),
            resume=None if folder is None else folder / f"seed-{seed}.safetensors",
            **how,
        )
        for seed in range(settled.seed, settled.seed + members)
    )
    run: Run = LabelledRun(
        graph=graph,
        config=settled,
        split=split,
        members=trained,
        seconds={"train": sum(member.seconds for member in trained)},
        environment=environment(),
        notes=tuple(notes),
        metric=metric,
        tried=() if choice is None else choice.tried,
        store=store,
        known_logits=labelled_logits(store, settled, trained),
    )
    return _without_nodes(run if rule is None else with_decision(run, rule), store)


def _without_nodes(run: Run, store: Store) -> StoredRun:
    """What is kept of a run on the labelled nodes of a store."""
    same = ("config", "members", "metrics", "temperature", "environment", "metric", "positive", "decision")
    return StoredRun(
        num_nodes=store.num_nodes,
        class_names=store.class_names,
        feature_names=store.manifest.feature_names,
        column_scale=store.column_scale,
        notes=run.notes,
        tried=run.tried,
        **{name: getattr(run, name) for name in same},
    )
