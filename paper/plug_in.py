"""LocalSim as a plug-in: H2GCN, GPRGNN and DAGNN with their own fusion weights and with LocalSim's, tuned alike.

Stage one: the same settings, the host's card first and then random draws from its own search space, are scored for both
sides on the validation nodes of a few splits. Stage two: each side's best setting is trained on all splits and its test
nodes are read once. Every trial is a unit of its own, so that a run can be stopped at any time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lsgnn.datasets import info
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.graphs import graph_of
from paper.plug_in_page import HOSTS, render
from paper.published import nine

SMALL, LARGE = 1_000, 5_000  # nodes
EPOCHS, PATIENCE = 200, 40
SIDES = ("original", "localsim")


def budget(nodes: int) -> tuple[int, int, int]:
    """(settings tried, splits that judge them, splits tested): less on larger graphs, the same for both sides."""
    return (16, 2, 10) if nodes <= SMALL else (4, 2, 10) if nodes < LARGE else (4, 1, 3)


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    found = []
    for dataset in plan.chosen(("texas",) if plan.quick else nine()):
        trials, search, tested = (2, 1, 1) if plan.quick else budget(info(dataset).nodes)
        epochs = 3 if plan.quick else EPOCHS
        for host in HOSTS:
            settings = [trial_settings(host, number) for number in range(trials)]
            for side in SIDES:
                shared = {"dataset": dataset, "host": host, "epochs": epochs, "patience": PATIENCE}
                own = [
                    PlannedUnit(
                        f"{dataset}/{host}-{side}/trial-{number:02d}",
                        shared | {"settings": changes | {"weights": side}, "splits": search, "part": "val"},
                    )
                    for number, changes in enumerate(settings)
                ]
                found += own
                if chosen := best_trial(results, own):
                    arguments = chosen.arguments | {"splits": tested, "part": "test", "trials": trials}
                    found.append(PlannedUnit(f"{dataset}/{host}-{side}/test", arguments))
    return found


def trial_settings(host: str, number: int) -> dict[str, Any]:
    """What trial `number` tries: nothing new (the card), then a draw that depends on the number alone."""
    if number == 0:
        return {}
    import optuna

    from lsgnn import zoo

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=number))
    return dict(zoo.get(host).space(study.ask()))


def best_trial(results: Results, trials: list[PlannedUnit]) -> PlannedUnit | None:
    """The trial with the best mean validation accuracy (the first of equals), once all have run."""
    scores = [results.get(unit.name) for unit in trials]
    if any(score is None for score in scores):
        return None
    return trials[int(np.argmax([np.mean(score["val"]) for score in scores]))]


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    """Accuracy (%) per split on validation nodes and, in stage two only, on test nodes."""
    from lsgnn import zoo
    from lsgnn.train.metrics import measure
    from lsgnn.zoo.presets import zoo_preset

    graph, model = graph_of(arguments["dataset"], plan.data_dir), zoo.get(arguments["host"])
    card = zoo_preset(model.name, arguments["dataset"]).replace(select_by="val_loss", seed=28)
    config = card.replace(epochs=arguments["epochs"], patience=arguments["patience"], **arguments["settings"])
    inputs = model.prepare(graph, config)
    parts = ("val", "test") if arguments["part"] == "test" else ("val",)
    scores: dict[str, list[float]] = {part: [] for part in parts}
    assert graph.splits is not None
    for s in range(arguments["splits"]):
        split = graph.splits[s]
        logits = model.solve(graph, split, config, inputs).logits
        for part in parts:
            mask = getattr(split, part)
            scores[part].append(100 * measure("accuracy", logits[mask], graph.y[mask]))
    return scores


EXPERIMENT = Experiment("plug-in", "LocalSim as a plug-in", render, units, compute)
