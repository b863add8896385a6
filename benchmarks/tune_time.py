"""How long does a user wait for `lsgnn tune`? Wall and CPU seconds of the whole command, without pruning.

    LSGNN_DATA=../shared/data python benchmarks/tune_time.py texas cora --json benchmarks/results/tune_time.json
    LSGNN_DATA=../shared/data python benchmarks/tune_time.py texas --space paper extended

Loading, the first look at β and γ, all trials on all splits, and re-scoring the best are included; the kernels are
compiled beforehand. Wall seconds mean something on an otherwise idle machine only; CPU seconds are given beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

from lsgnn.files import write_json
from lsgnn.train.environment import environment


def seconds_of(dataset: str, trials: int, jobs: int, space: str) -> dict[str, Any]:
    """One search in a process of its own, as the user starts it."""
    command = [sys.executable, "-m", "lsgnn", "tune", dataset, "--preset", "released", "--trials", str(trials)]
    command += ["--jobs", str(jobs), "--space", space, "--no-prune", "--no-test", "--json"]
    load = os.getloadavg()[0]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    tried = json.loads(done.stdout)["trials"]
    return {
        "dataset": dataset,
        "space": space,
        "trials": len(tried),
        "splits": min(len(trial["val"]) for trial in tried),
        "jobs": jobs,
        "wall_seconds": round(wall, 1),
        "cpu_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "load_before": round(load, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--space", nargs="+", default=["paper"], choices=["paper", "extended"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="file to write")
    args = parser.parse_args()
    seconds_of(args.datasets[0], trials=1, jobs=1, space="paper")  # compiles, if need be
    results = []
    for dataset, space in product(args.datasets, args.space):
        results.append(seconds_of(dataset, args.trials, args.jobs, space))
        print(results[-1], flush=True)
        if args.json:
            write_json(args.json, {"results": results, "environment": environment()})


if __name__ == "__main__":
    main()
