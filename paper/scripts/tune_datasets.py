"""Tunes LSGNN on the datasets by validation only and stores every trial; goes on where it stopped.

    LSGNN_DATA=../shared/data python -m paper.scripts.tune_datasets texas cornell wisconsin
    LSGNN_DATA=../shared/data python -m paper.scripts.tune_datasets --space extended --minutes 40 squirrel

Official splits; what the space does not touch is as the authors released it. Writes
paper/results/tuning/<space>/NAME.json: all trials, the choice, and four test scores (one configuration for all
splits, one per split, a seed ensemble, an ensemble of the best configurations), each read once, after the choice.
The study files stay in --studies and are not committed.

A search that runs out of --minutes ends with fewer trials than --trials; the document says how many there were. With
--refolds R configurations are judged on R resamplings of every split's training and validation nodes (see
lsgnn.graph.resampled_splits), and the result goes to paper/results/tuning/<space>-refolds/.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from lsgnn.benchmark.final_scores import final_scores
from lsgnn.datasets import info, load, preset, preset_kinds
from lsgnn.files import write_json
from lsgnn.graph.resampled_splits import resampled
from lsgnn.tuning import tune
from paper.places import RESULTS


def tune_one(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """One dataset from search to test; the document that is stored."""
    graph, metric = load(name), info(name).metric
    base = preset(name, "released" if "released" in preset_kinds(name) else "default").config.replace(seed=0)
    splits = graph.splits
    if splits is None:
        raise SystemExit(f"{name} has no official splits")
    count = min(args.splits, len(splits))
    tuning = tune(
        graph,
        space=args.space,
        trials=args.trials,
        base=base,
        splits=resampled(splits.take(range(count)), graph.y, args.refolds),
        metric=metric,
        keep_select_by=True,  # the rule of the settings, by which all that is stored was selected
        storage=args.studies / f"{name}-{folder(args)}.db",
        prune=not args.no_prune,
        grid=not args.no_grid,
        start=[chosen_on(other) for other in args.start.split(",") if other],
        timeout=60 * args.minutes,
        rescore=args.rescore,
        workers=args.jobs,
        on_trial=lambda study: print(f"{name}: {len(study.trials)} trials", end="\r", flush=True),
    )
    per_split = args.refolds == 1 and count == len(splits)
    read = final_scores(
        graph, tuning, members=args.members, per_split=per_split, splits=splits, metric=metric, workers=args.jobs
    )
    about = {
        "dataset": name,
        "model": "lsgnn",
        "space": folder(args),
        "metric": metric,
        "num_trials": len(tuning.trials),
        "search_splits": count,
        "refolds": args.refolds,
        "pruned": not args.no_prune,
        "tried_first": args.start.split(",") if args.start else [],
    }
    return about | tuning.to_dict() | {"test": {rule: result.to_dict() for rule, result in read.items()}}


def chosen_on(dataset: str) -> dict[str, Any]:
    """The configuration that an earlier search in the paper's space chose on another dataset."""
    settings: dict[str, Any] = json.loads((RESULTS / "tuning" / "paper" / f"{dataset}.json").read_text())["chosen"]
    return settings


def folder(args: argparse.Namespace) -> str:
    return str(args.space) if args.refolds == 1 else f"{args.space}-refolds"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--space", default="paper", choices=["paper", "extended"])
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=math.inf, help="of the search, on each dataset")
    parser.add_argument("--splits", type=int, default=10, help="splits that the search sees (the test has them all)")
    parser.add_argument("--refolds", type=int, default=1)
    parser.add_argument("--members", type=int, default=10, help="seeds of the ensemble")
    parser.add_argument(
        "--rescore", type=int, default=10, help="top trials to re-evaluate with fresh seeds before the choice"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--start", default="", help="datasets whose chosen configurations are tried first, joined by commas"
    )
    parser.add_argument("--no-prune", action="store_true")
    parser.add_argument("--no-grid", action="store_true", help="without the 36-point grid of β and γ")
    parser.add_argument("--studies", type=Path, default=RESULTS / "tuning" / "studies")
    args = parser.parse_args()
    args.studies.mkdir(parents=True, exist_ok=True)
    for name in args.datasets:
        file = RESULTS / "tuning" / folder(args) / f"{name}.json"
        if file.exists():
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        document = tune_one(name, args)
        write_json(file, document)
        scores = {rule: round(r[f"test_{document['metric']}"]["mean"], 2) for rule, r in document["test"].items()}
        print(f"{name}: {document['num_trials']} trials, {document['seconds']:.0f} s, test {scores}", flush=True)


if __name__ == "__main__":
    main()
