"""`fit`: a graph and a model with its settings in, a trained `Run` out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from lsgnn import zoo
from lsgnn.config import TrainingConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.split_checks import check_split, default_splits
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.defaults import Draft, as_draft, chosen_metric, following, note_on_columns
from lsgnn.runs.paired import Judged
from lsgnn.runs.probe import OnStage, resolved
from lsgnn.runs.probe_cost import Size, affordable_members
from lsgnn.runs.rivals import note_on, rivals
from lsgnn.runs.run import Run
from lsgnn.runs.stages import BASELINE_OPEN, LSGNN_OPEN
from lsgnn.runs.tried import Tried
from lsgnn.train.decision import Decision, choose_threshold, require_two_classes, rule_of
from lsgnn.train.engine import Engine
from lsgnn.train.ensemble import mean_logits
from lsgnn.train.environment import environment
from lsgnn.train.loop import OnEpoch
from lsgnn.train.metrics import Metric, positive_class
from lsgnn.train.trained import Trained
from lsgnn.zoo.jobs import quick_logits
from lsgnn.zoo.prepared import Prepared

Members = int | Literal["auto"]


def fit(
    graph: Any,
    config: TrainingConfig | Draft | None = None,
    *,
    model: str = "lsgnn",
    split: int | Split = 0,
    splits: Splits | None = None,
    engine: Engine = "auto",
    device: str = "cpu",
    members: Members = "auto",
    metric: Metric | None = None,
    threshold: str | float | None = None,
    cost: str | Sequence[float] | None = None,
    on_epoch: OnEpoch | None = None,
    on_stage: OnStage | None = None,
    ask_others: bool = True,
    **settings: Any,
) -> Run:
    """Trains a model on one split of a graph and reads the test nodes once, at the end.

    Args:
        graph: anything `lsgnn.as_graph` understands.
        config: a configuration; single hyperparameters may also be given by name (`fit(graph, K=3, lr=0.05)`). Without
            one, short training runs on the validation nodes choose what is not named: direction, hops, scale of the
            features and more; the notes and `run.tried` tell. In a configuration, only what is "auto" is chosen so.
        model: one of `lsgnn.zoo.names()`.
        split: which of the splits to use, or a `Split` of your own.
        splits: splits to use instead of the graph's own (or, where it has none, of stratified ones).
        engine: `cpu` is the fused engine, `torch` the plain loop on any device, `auto` the quickest that can.
        device: where the torch engine runs.
        members: number of seeds to ensemble, from `config.seed` on (probabilities are averaged; graph work is shared).
            By default up to five where LSGNN's whole configuration is left open and they train in seconds, else one.
        metric: what counts; the best epoch is selected by it, unless `select_by` says otherwise (or, where no metric is
            named, the config). By default the dataset's own; else accuracy, or where one class holds over 90 % of the
            training and validation nodes average precision (two classes) or balanced accuracy, as the notes tell.
        threshold: for two classes, how it is chosen on validation nodes from which probability on a node is called
            positive (the rarer class): `"f1"`, `"precision=0.9"`, `"recall=0.8"`, or the number itself. By default
            `"f1"` where the metric is neither accuracy nor log loss, else the most probable class is taken.
        cost: what a missed and a false positive cost, `"10:1"` or `(10, 1)`: the threshold with the least cost instead.
        ask_others: also train a few other models briefly where LSGNN's whole configuration is left open, and say in the
            notes if one of them is ahead.
        on_stage: called with what is done next: "trying hops", "seed 2 of 5".
        on_epoch: called with each entry of the history: after each epoch by torch, by the fused engine while later
            epochs are under way, ten times a second.
    """
    graph, entry = as_graph(graph), zoo.get(model)
    follows = "select_by" not in settings and (not isinstance(config, TrainingConfig) or metric is not None)
    drafted = as_draft(graph, entry, config).replace(**settings)
    if members != "auto" and (not isinstance(members, int) or members < 1):
        raise InputError(f"members={members!r} is out of range: it must be a whole number, at least 1, or 'auto'")
    if not isinstance(split, Split | int | np.integer):
        raise InputError(f"split={split!r} is of type {type(split).__name__}: pass a number or a Split")
    entry.require_engine(engine)
    chosen = split if isinstance(split, Split) else default_splits(graph, splits)[int(split)]
    notes = check_split(graph, chosen, own=isinstance(split, Split))
    metric, why = chosen_metric(graph, [chosen], metric)
    rule = rule_for(graph, metric, threshold, cost)
    drafted = following(drafted, metric) if follows else drafted
    prepared, say = Prepared(graph), on_stage or _nobody
    settled, choice = resolved(
        prepared, entry, drafted.config, [chosen], engine, metric, drafted.open_to, lambda name: say(f"trying {name}")
    )
    notes += note_on_columns(graph, getattr(settled, "feature_norm", "none"), "feature_norm" in drafted.open_to) + why
    if choice is not None:
        notes.append(str(choice))
    say("preparing features and similarities")
    inputs, trained = prepared(entry, settled), list[Trained]()
    left_open = model == "lsgnn" and drafted.open_to.issuperset(LSGNN_OPEN)
    if members == "auto":
        quick = left_open and device == "cpu" and entry.trains_in_threads(settled, engine)
        members = affordable_members(Size.of(graph, chosen), settled) if quick else 1
    how: dict[str, Any] = dict(engine=engine, device=device, on_epoch=on_epoch)
    for number in range(members):
        say(f"seed {number + 1} of {members}" if members > 1 else "epochs")
        trained.append(entry.train(graph, inputs, chosen, settled.replace(seed=settled.seed + number), **how))
    about_others, rows = list[str](), list[Tried]()
    if left_open and ask_others:
        say("trying other models")
        about_others, rows = _other_models(prepared, chosen, metric, settled, trained)
    run = Run(
        graph=graph,
        model=model,
        config=settled,
        split=chosen,
        members=tuple(trained),
        seconds={
            "precompute": prepared.seconds(entry, settled),
            "train": sum(member.seconds for member in trained),
        },
        environment=environment(),
        notes=(*graph.notes, *notes, *about_others),
        prepared=inputs,
        metric=metric,
        tried=(*(choice.tried if choice else ()), *rows),
    )
    return run if rule is None else with_decision(run, rule)


def _nobody(stage: str) -> None:
    """Hears what is done next, where nobody asked."""


def _other_models(
    prepared: Prepared, split: Split, metric: Metric, config: Any, trained: Sequence[Trained]
) -> tuple[list[str], list[Tried]]:
    """Notes on other families of models beside LSGNN, and what they scored."""
    y = prepared.graph.y
    logits = mean_logits([quick_logits(prepared, zoo.get("lsgnn"), config, one)[split.val] for one in trained])
    own = Judged(metric, positive_class(y[split.train | split.val]), (logits,), (y[split.val],))
    found = rivals(prepared, split, metric, own, {name: getattr(config, name) for name in BASELINE_OPEN})
    notes = [note] if (note := note_on(found, metric, own.score)) else []
    if tie := config.tied_to_graph:
        notes.append(f"trained with {tie}: for other graphs, train with adjacency_embedding=False")
    rows = [Tried("other models", rival.other.title, rival.score, False) for rival in found]
    return notes, [*rows, Tried("other models", "LSGNN, as trained", own.score, True)] if rows else []


def rule_for(graph: Graph, metric: Metric, threshold: str | float | None, cost: Any) -> str | float | None:
    """How a threshold is chosen: as asked for; else by F1, where two classes are scored by how they are ranked."""
    rule = rule_of(threshold, cost)
    if rule is not None:
        require_two_classes(graph.num_classes, "threshold" if cost is None else "cost")
        return rule
    return "f1" if graph.num_classes == 2 and metric not in ("accuracy", "log_loss") else None


def with_decision(run: Run, rule: str | float) -> Run:
    """The run with a threshold that the rule chooses on its validation nodes."""
    val, positive = run.split.val & run.graph.labelled, run.positive
    probability = run.predict().probabilities[val, positive]
    threshold, note = choose_threshold(probability, run.graph.y[val] == positive, rule)
    decision = Decision(positive, threshold, rule if isinstance(rule, str) else "given")
    return replace(run, decision=decision, notes=(*run.notes, note) if note else run.notes)
