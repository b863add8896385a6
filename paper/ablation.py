"""The ablation: LSGNN built up step by step as in the paper, and taken apart where the paper does not.

One unit per dataset and variant. Everything but the varied setting is that of the authors' released code, on their
splits; nothing is tuned, so that a row differs from the next by the component alone.
"""

from __future__ import annotations

from typing import Any

from lsgnn.config import LSGNNConfig
from lsgnn.datasets import info
from paper.ablation_page import render
from paper.ablation_variants import stored_name, variants
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.graphs import graph_of, released, released_splits
from paper.published import nine

FUSED = ("localsim", "graph")  # weights that the fused engine trains; the others take the torch loop
LARGE = 5_000  # nodes from which on the torch loop gets fewer splits, or the whole table would take a day
FEWER = 3


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    found = []
    for dataset in plan.chosen(("texas",) if plan.quick else nine()):
        for name, config in variants(dataset).items():
            if stored_name(dataset, name) != name:
                continue  # equal to an earlier variant
            splits = splits_of(dataset, config)
            if plan.quick:
                config, splits = config.replace(epochs=5), 2
            arguments = {"dataset": dataset, "variant": name, "splits": splits, "config": config.to_dict()}
            found.append(PlannedUnit(f"{dataset}/{name}", arguments | {"split_rule": released(dataset).splits}))
    return found


def splits_of(dataset: str, config: LSGNNConfig) -> int:
    """All ten, or the first few where a slow kind of weights meets a large graph."""
    return FEWER if config.weights not in FUSED and info(dataset).nodes >= LARGE else 10


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    from lsgnn.benchmark.evaluate import evaluate

    dataset = arguments["dataset"]
    config = LSGNNConfig.from_dict(arguments["config"])
    splits = released_splits(dataset, plan.data_dir)
    done = evaluate(
        graph_of(dataset, plan.data_dir), config, splits=splits, which=range(arguments["splits"]), workers=1
    )
    return {"test": done.test, "val": done.val, "best_epochs": done.best_epochs}


EXPERIMENT = Experiment("ablation", "Ablation", render, units, compute)
