"""Accuracy against depth: GCN and LSGNN with 2 to 64 layers, to see whether either smooths everything away.

Up to 16 hops LSGNN trains by the fused engine on the power basis; beyond, by torch on the recurrence (`nn/deep.py`).
"""

from __future__ import annotations

from typing import Any

from lsgnn.config import LSGNNConfig
from lsgnn.datasets import info
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.propagate.irdc import MAX_BASIS_K
from lsgnn.train.metrics import measure
from paper.depth_page import DEPTHS, render
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.graphs import graph_of, released_config
from paper.published import nine

SMALL = 1_000  # nodes up to which all ten splits are run
FEWER = 1
WAIT = 30  # epochs without a better validation loss after which LSGNN with many hops gives up on the larger graphs


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    """One unit per dataset, model and depth; official splits, and the settings each model has on that dataset."""
    from lsgnn.zoo.presets import zoo_preset

    found = []
    for dataset in plan.chosen(("texas",) if plan.quick else nine()):
        small = info(dataset).nodes <= SMALL
        splits = 10 if small and not plan.quick else FEWER
        common = {"epochs": 5} if plan.quick else {"epochs": 200, "patience": 0}
        for depth in (2, 32) if plan.quick else DEPTHS:
            lsgnn = released_config(dataset).replace(K=depth, **common)
            if depth > MAX_BASIS_K and not small:
                lsgnn = lsgnn.replace(patience=WAIT)  # every epoch takes seconds
            gcn = zoo_preset("gcn", dataset).replace(num_layers=depth, seed=28, select_by="val_loss", **common)
            for model, config in (("lsgnn", lsgnn), ("gcn", gcn)):
                arguments = {"dataset": dataset, "model": model, "depth": depth, "splits": splits}
                found.append(PlannedUnit(f"{dataset}/{model}-{depth:02d}", arguments | {"config": config.to_dict()}))
    return found


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    from lsgnn import zoo
    from paper import deep_gcn

    graph = graph_of(arguments["dataset"], plan.data_dir)
    assert graph.splits is not None
    chosen = [graph.splits[s] for s in range(arguments["splits"])]
    model = deep_gcn.MODEL if arguments["model"] == "gcn" else zoo.get(arguments["model"])
    config = model.config.from_dict(arguments["config"])
    if isinstance(config, LSGNNConfig) and config.K > MAX_BASIS_K:
        logits = _deep_lsgnn(graph, chosen, config)
    else:
        inputs = model.prepare(graph, config)
        logits = [model.solve(graph, split, config, inputs).logits for split in chosen]
    pairs = list(zip(logits, chosen, strict=True))
    return {
        part: [100 * measure("accuracy", out[getattr(s, part)], graph.y[getattr(s, part)]) for out, s in pairs]
        for part in ("test", "val")
    }


def _deep_lsgnn(graph: Graph, splits: list[Split], config: LSGNNConfig) -> list[Any]:
    """Logits of all nodes for each split; the rows are prepared once."""
    import torch

    from lsgnn.nn.deep import deep_rows
    from lsgnn.nn.model import LSGNN
    from lsgnn.propagate.precompute import precompute
    from lsgnn.train.loop import train_torch
    from lsgnn.train.seeded import seeded

    rows, found = deep_rows(precompute(graph, config), config), []
    for split in splits:
        seen = split.visible(graph.y)
        with seeded(config.seed):
            model = LSGNN.from_config(config, graph.num_features, graph.num_classes, graph.num_nodes)
            train_torch(model, rows, seen, split, config)
        with torch.no_grad():
            found.append(model.eval()(rows).numpy())
    return found


EXPERIMENT = Experiment("depth", "Accuracy against depth", render, units, compute)
