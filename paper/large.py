"""The table of large graphs: ogbn-arxiv (subjects) and arxiv-year (years in five classes), or their stand-in.

Where neither is on this machine, arxiv-2023 takes their place, by subject and by quantiles of the year: other papers
and other features, so the numbers do not compare with the published ones, and the table says so.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

from lsgnn.cache import cache_folder
from lsgnn.datasets.presets import preset
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Splits
from lsgnn.train.metrics import measure
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.graphs import graph_of
from paper.large_page import MODELS, render

REAL = ("ogbn-arxiv", "arxiv-year")
STAND_INS = ("arxiv-2023-subject", "arxiv-2023-year")
RUNS, FEWER = 5, 3  # of a graph of the paper, of a stand-in
BUDGET: dict[str, Any] = {"epochs": 200, "patience": 30, "hidden_channels": 64}


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    """One unit per task, model and run; a run is another seed, or another split where there are several."""
    from lsgnn.zoo.presets import zoo_preset

    chosen = plan.chosen(tuple(name for name in REAL if is_here(name, plan.data_dir)) or ("arxiv-2023",))
    tasks = [task for name in chosen for task in (STAND_INS if name == "arxiv-2023" else (name,))]
    found = []
    for task in tasks:
        if task not in (*REAL, *STAND_INS):
            raise InputError(f"{task!r} is no large graph of the paper: use {', '.join((*REAL, 'arxiv-2023'))}")
        like = "arxiv-year" if task.endswith("year") else "ogbn-arxiv"
        for model in ("gcn", "lsgnn") if plan.quick else MODELS:
            config = preset(like, "released").config if model == "lsgnn" else zoo_preset(model, like)
            known = {f.name for f in dataclasses.fields(config)}
            config = config.replace(**{name: value for name, value in BUDGET.items() if name in known})
            for run in range(1 if plan.quick else RUNS if task in REAL else FEWER):
                own = config.replace(seed=28 + run, **({"epochs": 2} if plan.quick else {}))
                arguments = {"task": task, "model": model, "run": run, "config": own.to_dict()}
                found.append(PlannedUnit(f"{task}/{model}-{run}", arguments))
    return sorted(found, key=lambda unit: int(unit.arguments["run"]))  # a run of every model before the next one


def is_here(name: str, data_dir: Path | None) -> bool:
    """True if the dataset can be opened without asking the network."""
    folder = data_dir or os.environ.get("LSGNN_DATA")
    places = [cache_folder(), *([Path(folder).expanduser()] if folder else [])]
    return any((place / f"{name}.npz").is_file() for place in places)


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    from lsgnn import zoo

    graph, splits = task_graph(arguments["task"], plan.data_dir)
    split = splits[arguments["run"] % len(splits)]
    model = zoo.get(arguments["model"])
    config = model.config.from_dict(arguments["config"])
    solution = model.solve(graph, split, config)
    scores = {
        part: 100 * measure("accuracy", solution.logits[mask], graph.y[mask])
        for part, mask in (("test", split.test & graph.labelled), ("val", split.val))
    }
    return scores | {"nodes": graph.num_nodes, "splits": len(splits), "train_seconds": solution.seconds}


def task_graph(task: str, data_dir: Path | None) -> tuple[Graph, Splits]:
    """The graph with the classes of the task, and its splits."""
    graph = graph_of(task.removesuffix("-subject"), data_dir)
    assert graph.splits is not None
    return graph, graph.splits


EXPERIMENT = Experiment("large", "Large graphs", render, units, compute)
