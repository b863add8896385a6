"""What makes LocalSim matter: standardised similarities, φ averaged over neighbourhoods, rows that keep their size.

Every variant changes a few hyperparameters of a configuration, the authors' released one or the one tuned by us, on the
same splits with the same seeds; nothing is tuned for a variant. One unit per dataset, variant and seed. FSBM graphs,
where Theorem 1 knows what LocalSim should see, are units of their own: the cells of the toy figure whose two subgraphs
are far apart (|λ₁ − λ₂| ≥ 0.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsgnn.config import LSGNNConfig
from lsgnn.datasets import info, preset
from lsgnn.datasets.fsbm import fsbm
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Splits
from lsgnn.train.metrics import Metric, measure
from lsgnn.zoo.jobs import Job, quick_logits, train_many
from lsgnn.zoo.lsgnn import MODEL
from lsgnn.zoo.prepared import Prepared
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.graphs import graph_of, released_config, released_splits
from paper.localsim_page import SEEDS_OF, render
from paper.localsim_variants import CHANGES_BASE, CORE, DATASETS, FSBM, FSBM_VARIANTS, VARIANTS, variant_of

SEEDS = 5
MANY_SEEDS, FEW_SPLITS = 20, 2  # on Squirrel, where some seeds fail as released
SEED_STUDY = ("released", "standard", "smoothed", "degree", "graph")
FAR = 8  # steps of 0.1 between λ₁ and λ₂
GRAPHS = 5


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    """The variants that matter most first, on all graphs; of those, graphs that take little time first."""
    found = [] if plan.datasets else _fsbm_units(plan)
    rest = tuple(name for name in VARIANTS if name not in CORE)
    for names in (CORE, rest):
        for base in ("released", "tuned"):
            for dataset in plan.chosen(("texas",) if plan.quick else tuple(DATASETS)):
                found += _units_of(dataset, base, names, plan.quick)
    return found


def _units_of(dataset: str, base: str, names: Sequence[str], quick: bool) -> list[PlannedUnit]:
    many, splits = dataset == SEEDS_OF and base == "released", getattr(DATASETS[dataset], base)
    if not splits:
        return []
    config = base_config(dataset, base).replace(**({"epochs": 5} if quick else {}))
    found = []
    for seed in range(1 if quick else MANY_SEEDS if many else SEEDS):
        for name in names:
            if (seed >= SEEDS and name not in SEED_STUDY) or (base == "tuned" and name in CHANGES_BASE):
                continue
            varied = config.replace(**VARIANTS[name][1], seed=config.seed + seed)
            arguments = {"dataset": dataset, "splits": 1 if quick else splits, "config": varied.to_dict()}
            found.append(PlannedUnit(f"{dataset}/{variant_of(base, name)}/seed-{seed:02d}", arguments))
    return found


def base_config(dataset: str, base: str) -> LSGNNConfig:
    """What the variants change: a configuration with weights from LocalSim as the paper has it."""
    if base == "released":
        return released_config(dataset)
    plain = {"weights": "localsim", "localsim_scale": "none", "localsim_hops": 0, "localsim_degree": False}
    return preset(dataset, "tuned").config.replace(**plain)


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
    """Validation and test scores (%) in the dataset's metric, by split or by graph."""
    config = LSGNNConfig.from_dict(arguments["config"])
    scores: dict[str, list[float]] = {"val": [], "test": []}
    if "lambdas" in arguments:
        for seed in range(arguments["graphs"]):
            first, second = arguments["lambdas"]
            graph = fsbm(first, second, n=arguments["n"], degree=10, seed=seed)
            assert graph.splits is not None  # fsbm always draws some
            _score(graph, graph.splits, 1, config, "accuracy", scores)
    else:
        dataset = arguments["dataset"]
        splits = released_splits(dataset, plan.data_dir)
        _score(graph_of(dataset, plan.data_dir), splits, arguments["splits"], config, info(dataset).metric, scores)
    return scores


def _score(
    graph: Graph, splits: Splits, count: int, config: LSGNNConfig, metric: Metric, scores: dict[str, list[float]]
) -> None:
    prepared = Prepared(graph)
    for s in range(count):
        split = splits[s]
        (trained,) = train_many(prepared, [Job(MODEL, config, split)], workers=1)
        logits = quick_logits(prepared, MODEL, config, trained)
        for part, values in scores.items():
            nodes = getattr(split, part) & graph.labelled
            values.append(100 * measure(metric, logits[nodes], graph.y[nodes]))


EXPERIMENT = Experiment("localsim", "What makes LocalSim matter", render, units, compute)
