"""What makes LocalSim matter: standardised similarities, φ averaged over neighbourhoods, rows that keep their size.

Every variant changes a few hyperparameters of the authors' released configuration, on their splits, with the same
seeds; nothing is tuned. One unit per dataset, variant and seed. FSBM graphs, where Theorem 1 knows what LocalSim should
see, are units of their own: the cells of the toy figure whose two subgraphs are far apart (|λ₁ − λ₂| ≥ 0.8).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lsgnn.config import LSGNNConfig
from lsgnn.datasets.fsbm import fsbm
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Splits
from lsgnn.zoo.jobs import Job, quick_logits, train_many
from lsgnn.zoo.lsgnn import MODEL
from lsgnn.zoo.prepared import Prepared
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.graphs import graph_of, released_config, released_splits
from paper.localsim_page import SEEDS_OF, render
from paper.localsim_variants import DATASETS, FSBM, FSBM_VARIANTS, VARIANTS

SEEDS = 5
MANY_SEEDS, FEW_SPLITS = 20, 2  # on Squirrel, where some seeds fail as released
SEED_STUDY = ("released", "standard", "smoothed", "degree", "graph")
FAR = 8  # steps of 0.1 between λ₁ and λ₂
GRAPHS = 5


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    found = [] if plan.datasets else _fsbm_units(plan)
    for dataset in plan.chosen(("texas",) if plan.quick else tuple(DATASETS)):
        many, splits = dataset == SEEDS_OF, 1 if plan.quick else FEW_SPLITS if dataset == SEEDS_OF else 10
        base = released_config(dataset).replace(**({"epochs": 5} if plan.quick else {}))
        for seed in range(1 if plan.quick else MANY_SEEDS if many else SEEDS):
            for name, (_, changes) in VARIANTS.items():
                if seed >= SEEDS and name not in SEED_STUDY:
                    continue
                config = base.replace(**changes, seed=base.seed + seed)
                arguments = {"dataset": dataset, "splits": splits, "config": config.to_dict()}
                found.append(PlannedUnit(f"{dataset}/{name}/seed-{seed:02d}", arguments))
    return found


def _fsbm_units(plan: Plan) -> list[PlannedUnit]:
    cells = [(i, j) for i in range(11) for j in range(11) if abs(i - j) >= FAR]
    graphs, n = (1, 100) if plan.quick else (GRAPHS, 1000)
    return [
        PlannedUnit(
            f"fsbm/{name}/{i:02d}-{j:02d}",
            {"lambdas": [i / 10, j / 10], "graphs": graphs, "n": n, "config": FSBM.replace(**changes).to_dict()},
        )
        for i, j in (cells[:1] if plan.quick else cells)
        for name, (_, changes) in FSBM_VARIANTS.items()
    ]


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    """Validation and test accuracy (%), by split or by graph."""
    config = LSGNNConfig.from_dict(arguments["config"])
    scores: dict[str, list[float]] = {"val": [], "test": []}
    if "lambdas" in arguments:
        for seed in range(arguments["graphs"]):
            first, second = arguments["lambdas"]
            graph = fsbm(first, second, n=arguments["n"], degree=10, seed=seed)
            assert graph.splits is not None  # fsbm always draws some
            _score(graph, graph.splits, 1, config, scores)
    else:
        dataset = arguments["dataset"]
        splits = released_splits(dataset, plan.data_dir)
        _score(graph_of(dataset, plan.data_dir), splits, arguments["splits"], config, scores)
    return scores


def _score(graph: Graph, splits: Splits, count: int, config: LSGNNConfig, scores: dict[str, list[float]]) -> None:
    prepared = Prepared(graph)
    for s in range(count):
        split = splits[s]
        (trained,) = train_many(prepared, [Job(MODEL, config, split)], workers=1)
        right = quick_logits(prepared, MODEL, config, trained).argmax(axis=1) == graph.y
        for part, values in scores.items():
            values.append(100 * float(np.mean(right[getattr(split, part) & graph.labelled])))


EXPERIMENT = Experiment("localsim", "What makes LocalSim matter", render, units, compute)
