"""How near is the fused engine to what this CPU can do? Flops and bytes of an epoch against measured peaks, one thread.

    LSGNN_DATA=../shared/data python benchmarks/roofline.py --json benchmarks/results/roofline.json

Peaks are measured here: a large sgemm, and sums over arrays that lie in the second-level cache and in memory. The bound
of an epoch is the sum over its products of the longer of both: flops at the peak, bytes at the bandwidth of where they
come from. Dense products read the packed channels from memory, and for the gradient once more: from the second-level
cache where rows are done a few at a time. Narrow ones gather rows of a tile from that cache, a tile's columns and eight
bytes of index and value per stored entry.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from train_cost import LARGE, Contest

from lsgnn.files import write_json
from lsgnn.train.environment import environment
from lsgnn.train.fused import train_cpu
from lsgnn.train.fused.buffers import rows_together
from lsgnn.train.fused.task import Task

FLOAT = 4


def fastest(run: Callable[[], object], times: int = 7) -> float:
    """CPU seconds."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return min(seconds)


def peaks() -> dict[str, float]:
    """Flops per second, bytes per second from the second-level cache and from memory."""
    a, b, out = torch.rand(2048, 2048), torch.rand(2048, 2048), torch.empty(2048, 2048)
    small, large = torch.rand(1 << 18), torch.rand(1 << 28)
    return {
        "sgemm_flops": 2 * 2048**3 / fastest(lambda: torch.mm(a, b, out=out)),
        "cache_bytes": 500 * FLOAT * len(small) / fastest(lambda: [small.sum() for _ in range(500)]),
        "memory_bytes": FLOAT * len(large) / fastest(large.sum),
    }


def products(task: Task) -> list[tuple[str, float, float, str]]:
    """(name, flops, bytes, where they come from) of what an epoch multiplies."""
    layout, t, b = task.layout, task.train_rows, len(task.rows.node)
    classes = 2 * layout.C * layout.blocks * layout.z * (b + 2 * t)
    found = [("output layer", float(classes), 0.0, "cache_bytes")]
    if task.H is not None:
        each = 2 * layout.d * layout.width
        found.append(("forward", float(each * b), float(FLOAT * (2 * layout.K + 1) * layout.d * b), "memory_bytes"))
        again = "cache_bytes" if rows_together(layout, task.H) else "memory_bytes"
        found.append(("gradient", float(each * t), float(FLOAT * (2 * layout.K + 1) * layout.d * t), again))
    narrow = task.narrow
    if narrow is not None:
        for column, size in layout.tiles:
            top = int(narrow.tile_top[list(narrow.tile_column).index(column)])
            graph = narrow.forth  # the released settings read one direction
            outer = (len(graph.outer.value), len(graph.outer_T.value)) if top else (0, 0)
            levels = max(0, top - 1)
            forward = len(narrow.X.value) + levels * len(graph.inner.value) + outer[0]
            gradient = len(narrow.XT.value) + levels * len(graph.inner_T.value) + outer[1]
            entries = forward + gradient
            found.append((f"tile {column}", 2.0 * size * entries, (8.0 + FLOAT * size) * entries, "cache_bytes"))
    return found


def measure(name: str, peak: dict[str, float]) -> dict[str, Any]:
    contest = Contest(name)
    initial, few, more = contest.model().state_dict(), 2, 7 if name == LARGE else 42

    def run(epochs: int) -> None:
        config = contest.config.replace(epochs=epochs, patience=0)
        train_cpu(contest.pre, contest.graph.y, contest.split, config, initial, threads=1)

    run(1)  # compiles, if need be
    seconds = (fastest(lambda: run(more), 3) - fastest(lambda: run(few), 3)) / (more - few)
    start = time.process_time()
    task = Task.to_train(contest.pre, contest.graph.y, contest.split, contest.config, initial, threads=1)
    setup = time.process_time() - start
    found = products(task)
    bound = sum(max(flops / peak["sgemm_flops"], count / peak[where]) for _, flops, count, where in found)
    return {
        "dataset": name,
        "epoch_cpu_seconds": seconds,
        "setup_cpu_seconds": setup,
        "gflop": sum(flops for _, flops, _, _ in found) / 1e9,
        "gigabytes": sum(count for _, _, count, _ in found) / 1e9,
        "bound_seconds": bound,
        "share_of_bound": bound / seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=["cora", "actor", "squirrel", "pubmed", LARGE])
    parser.add_argument("--json", type=Path, help="file to write")
    args = parser.parse_args()
    torch.set_num_threads(1)
    peak = peaks()
    print({name: f"{value / 1e9:.1f} G/s" for name, value in peak.items()}, flush=True)
    results = []
    for name in args.datasets:
        results.append(measure(name, peak))
        print({key: round(v, 4) if isinstance(v, float) else v for key, v in results[-1].items()}, flush=True)
        if args.json:
            write_json(args.json, {"peaks": peak, "results": results, "environment": environment()})


if __name__ == "__main__":
    main()
