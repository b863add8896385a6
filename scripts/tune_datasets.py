"""Tunes LSGNN on the datasets by validation only and stores every trial; goes on where it stopped.

    LSGNN_DATA=../shared/data python scripts/tune_datasets.py texas cornell wisconsin
    LSGNN_DATA=../shared/data python scripts/tune_datasets.py --space extended --trials 200 texas

Official splits; what the space does not touch is as the authors released it. Writes results/tuning/<space>/NAME.json:
all trials, the choice, and three readings of the test nodes (one setting for all splits, each split its own, ten seeds
voting), each made once, after the choice. The study files stay in --studies and are not committed.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from lsgnn.datasets import info, load, preset, preset_kinds
from lsgnn.files import write_json
from lsgnn.train.evaluate import evaluate
from lsgnn.train.tuning import tune

ROOT = Path(__file__).parents[1]


def tune_one(name: str, space: Any, trials: int, prune: bool, studies: Path) -> dict[str, Any]:
    """One dataset from search to test; the document that is stored."""
    graph, metric = load(name), info(name).metric
    base = preset(name, "released" if "released" in preset_kinds(name) else "default").config.replace(seed=0)
    splits = graph.splits
    if splits is None:
        raise SystemExit(f"{name} has no official splits")
    tuning = tune(
        graph,
        space=space,
        trials=trials,
        base=base,
        splits=splits,
        metric=metric,
        storage=studies / f"{name}-{space}.db",
        prune=prune,
        on_trial=lambda study: print(f"{name}: {len(study.trials)} trials", end="\r", flush=True),
    )
    fresh = tuning.config.replace(seed=1000)  # seeds that the search has not seen
    readings = {
        "one setting for all splits": evaluate(graph, fresh, splits=splits, metric=metric),
        "each split its own": evaluate(graph, tuning.configs_per_split, splits=splits, metric=metric),
        "one setting, 10 seeds voting": evaluate(graph, fresh, splits=splits, metric=metric, members=10),
    }
    about = {"dataset": name, "model": "lsgnn", "space": space, "metric": metric, "num_trials": trials, "pruned": prune}
    return about | tuning.to_dict() | {"test": {rule: result.to_dict() for rule, result in readings.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--space", default="paper", choices=["paper", "extended"])
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--no-prune", action="store_true")
    parser.add_argument("--studies", type=Path, default=ROOT / "results" / "tuning" / "studies")
    args = parser.parse_args()
    args.studies.mkdir(parents=True, exist_ok=True)
    for name in args.datasets:
        file = ROOT / "results" / "tuning" / args.space / f"{name}.json"
        if file.exists():
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        document = tune_one(name, args.space, args.trials, not args.no_prune, args.studies)
        write_json(file, document)
        scores = {rule: round(r[f"test_{document['metric']}"]["mean"], 2) for rule, r in document["test"].items()}
        print(f"{name}: {document['seconds']:.0f} s, test {scores}", flush=True)


if __name__ == "__main__":
    main()
