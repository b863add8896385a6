"""How much memory does every model of the zoo need? Peak of a process that prepares it and trains it for two epochs.

    LSGNN_DATA=../shared/data python -m benchmarks.zoo_memory --json benchmarks/results/zoo_memory.json

Cards' settings on the first official split; each model is a process of its own, so that the peak is its own (python,
torch and the graph included). More epochs need no more: everything is allocated in the first. What is in the file
already is not measured again.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

from lsgnn import zoo
from lsgnn.files import write_json
from paper.published import nine


def peak_megabytes(dataset: str, model: str) -> float:
    """In this process: two epochs, then the largest memory it ever had."""
    import torch

    from lsgnn.datasets import load
    from lsgnn.zoo.presets import zoo_preset

    torch.set_num_threads(1)
    graph, config = load(dataset), zoo_preset(model, dataset).replace(epochs=2)
    assert graph.splits is not None
    zoo.get(model).solve(graph, graph.splits[0], config)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(nine()))
    parser.add_argument("--models", default=",".join(zoo.names()))
    parser.add_argument("--json", type=Path, help="file to continue and to write after every model")
    parser.add_argument("--one", nargs=2, metavar=("DATASET", "MODEL"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(peak_megabytes(*args.one)))
        return
    found: dict[str, dict[str, float]] = json.loads(args.json.read_text()) if args.json and args.json.exists() else {}
    for dataset in args.datasets.split(","):
        known = found.setdefault(dataset, {})
        for model in args.models.split(","):
            if model in known:
                continue
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.zoo_memory", "--one", dataset, model],
                check=True,
                capture_output=True,
                text=True,
            )
            known[model] = json.loads(done.stdout.splitlines()[-1])
            print(f"{dataset} {model}: {known[model]:.0f} MB", flush=True)
            if args.json:
                write_json(args.json, found)


if __name__ == "__main__":
    main()
