"""How much faster are two threads than one, in one training? Wall seconds, on an otherwise idle machine.

    LSGNN_DATA=../shared/data python benchmarks/threads.py --json benchmarks/results/threads.json

Rounds are interleaved: one thread, two threads, again. Setting up (which is not threaded) is left out: it is what a
training of one epoch takes; on the large graph that takes seconds, not always the same, so that it needs many epochs.
Datasets that are left out stay in the file. Both must give the same bits, or nothing is written. How fast one and two
threads read memory is measured beside it, because large dense graphs wait for that.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import torch
from stored_rows import with_stored
from train_cost import LARGE, Contest

from lsgnn.files import write_json
from lsgnn.train.environment import environment
from lsgnn.train.fused import train_cpu
from lsgnn.train.trained import Trained

DATASETS = ["texas", "cora", "debian", "actor", "squirrel", "pubmed", LARGE]


def wall_seconds(contest: Contest, epochs: int, threads: int | None) -> tuple[float, Trained]:
    """Of one training; `threads=None` lets the engine choose."""
    initial, config = contest.model().state_dict(), contest.config.replace(epochs=epochs, patience=0)
    start = time.perf_counter()
    trained = train_cpu(contest.pre, contest.graph.y, contest.split, config, initial, threads=threads)
    return time.perf_counter() - start, trained


def memory_bandwidth(threads: int) -> float:
    """Bytes per second that so many threads read together."""
    torch.set_num_threads(threads)
    x, seconds = torch.ones(1 << 28), list[float]()
    for _ in range(7):
        start = time.perf_counter()
        x.sum()
        seconds.append(time.perf_counter() - start)
    return 4 * len(x) / min(seconds)


def measure(name: str, epochs: int, rounds: int, threads: int) -> dict[str, Any]:
    contest, seconds = Contest(name), dict[str, list[float]]()
    wall_seconds(contest, 1, 1)  # compiles, if need be
    for round_ in range(rounds):
        results = []
        for count in (1, threads, None):
            without, _ = wall_seconds(contest, 1, count)
            with_epochs, trained = wall_seconds(contest, 1 + epochs, count)
            results.append(trained)
            seconds.setdefault(str(count or "auto"), []).append(with_epochs - without)
        same = all(torch.equal(results[0].state_dict[k], r.state_dict[k]) for r in results for k in r.state_dict)
        if not same:
            raise SystemExit(f"{name}: {threads} threads gave other weights than one")
        print(f"{name}: round {round_ + 1}", {k: round(v[-1], 3) for k, v in seconds.items()}, file=sys.stderr)
    medians = {count: statistics.median(values) for count, values in seconds.items()}
    return {"dataset": name, "epochs": epochs, "seconds": seconds, "speedup": medians["1"] / medians[str(threads)]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--large-epochs", type=int, default=40, help=f"epochs on {LARGE}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="file to write")
    args = parser.parse_args()
    bandwidth = {str(count): memory_bandwidth(count) for count in (1, args.threads)}
    print("memory:", {count: f"{each / 1e9:.1f} GB/s" for count, each in bandwidth.items()}, flush=True)
    results: list[dict[str, Any]] = []
    for name in args.datasets:
        epochs = args.large_epochs if name == LARGE else args.epochs
        results.append(measure(name, epochs, args.rounds, args.threads))
        print(f"{name:18} {args.threads} threads are {results[-1]['speedup']:.2f} × as fast as one", flush=True)
        if args.json:
            facts: dict[str, Any] = {
                "threads": args.threads,
                "rounds": args.rounds,
                "load_before": round(os.getloadavg()[0], 2),
            }
            facts["memory_bytes_per_second"] = bandwidth
            rows = with_stored(args.json, results)
            write_json(args.json, facts | {"results": rows, "environment": environment()})


if __name__ == "__main__":
    main()
