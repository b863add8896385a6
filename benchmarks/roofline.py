"""How near is the fused engine to what this CPU can do? Flops and bytes of an epoch against measured peaks, one thread.

    LSGNN_DATA=../shared/data python benchmarks/roofline.py --json benchmarks/results/roofline.json

Peaks are measured here: a large sgemm, and dot products of vectors that lie in the second-level cache, in the
third-level one and in memory. The bound of an epoch is the sum over its products of the longer of both: flops at the
peak, bytes at the bandwidth of where they come from. Dense products read the packed channels from memory, and for the
gradient once more: from the second-level cache where rows are done a few at a time. Narrow ones gather rows of a tile,
its columns and eight bytes of index and value per entry: features from the second-level cache, or from the first where
a tile of weights is hardly larger (two loads for two multiply-adds: two bytes per flop of the peak); and levels of
propagation, which also read and write a row of every node, from the third-level one where the [nodes, tile] buffers do
not fit the second.

On the narrow path an epoch is trained again without any feature and without any edge: what it then takes less is their
part, and the rest is the rows'.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path as File
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from train_cost import LARGE, Contest

from lsgnn.files import write_json
from lsgnn.propagate.precompute import Precomputed
from lsgnn.train.environment import environment
from lsgnn.train.fused import train_cpu
from lsgnn.train.fused.buffers import rows_together
from lsgnn.train.fused.paths import Path
from lsgnn.train.fused.task import Task

FLOAT = 4
NEARLY_FIRST_LEVEL = 1 << 16  # bytes of a core's cache, and a little more
SECOND_LEVEL_SIZE = File("/sys/devices/system/cpu/cpu0/cache/index2/size")  # "2048K", where Linux tells


def second_level() -> int:
    """Bytes of a core's second-level cache; a megabyte where nobody tells."""
    told = SECOND_LEVEL_SIZE.read_text().strip() if SECOND_LEVEL_SIZE.exists() else "1024K"
    return int(told.removesuffix("K")) << 10


def fastest(run: Callable[[], object], times: int = 7) -> float:
    """CPU seconds."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return min(seconds)


def peaks() -> dict[str, float]:
    """Flops per second, and bytes per second from either cache and from memory, by products of two vectors."""
    a, b, out = torch.rand(2048, 2048), torch.rand(2048, 2048), torch.empty(2048, 2048)

    def read(numbers: int, times: int) -> float:
        x, y = torch.rand(numbers), torch.rand(numbers)
        return times * 2 * FLOAT * numbers / fastest(lambda: [torch.dot(x, y) for _ in range(times)])

    flops = 2 * 2048**3 / fastest(lambda: torch.mm(a, b, out=out))
    return {
        "sgemm_flops": flops,
        "first_level_bytes": 2 * flops,
        "cache_bytes": read(1 << 16, 4000),
        "third_level_bytes": read(1 << 20, 200),
        "memory_bytes": read(1 << 27, 1),
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
            outer = len(graph.outer.value) + len(graph.outer_T.value) if top else 0
            levels, each = max(0, top - 1), 8.0 + FLOAT * size
            stored = len(narrow.X.value) + len(narrow.XT.value)
            edges = levels * (len(graph.inner.value) + len(graph.inner_T.value)) + outer
            passes = 2.0 * FLOAT * size * task.reached * 2 * (levels + (top > 0))
            near = "first_level_bytes" if FLOAT * size * layout.d <= NEARLY_FIRST_LEVEL else "cache_bytes"
            where = "cache_bytes" if FLOAT * size * task.reached < second_level() else "third_level_bytes"
            found.append((f"features of tile {column}", 2.0 * size * stored, each * stored, near))
            found.append((f"edges of tile {column}", 2.0 * size * edges, each * edges + passes, where))
    return found


def measure(name: str, peak: dict[str, float]) -> dict[str, Any]:
    contest = Contest(name)
    initial, few, more = contest.model().state_dict(), 2, 7 if name == LARGE else 42

    def run(epochs: int, pre: Precomputed, path: Path) -> None:
        config = contest.config.replace(epochs=epochs, patience=0)
        train_cpu(pre, contest.graph.y, contest.split, config, initial, threads=1, path=path)

    def epoch(pre: Precomputed, path: Path = "auto") -> float:
        return (fastest(lambda: run(more, pre, path), 3) - fastest(lambda: run(few, pre, path), 3)) / (more - few)

    run(1, contest.pre, "auto")  # compiles, if need be
    seconds = epoch(contest.pre)
    start = time.process_time()
    task = Task.to_train(contest.pre, contest.graph.y, contest.split, contest.config, initial, threads=1)
    setup = time.process_time() - start
    found, parts = products(task), dict[str, float]()
    if task.narrow is not None:
        n, d = contest.pre.x.shape
        alone = sp.eye_array(n, dtype=np.float32, format="csr")
        parts["features"] = seconds - epoch(replace(contest.pre, x=sp.csr_array((n, d), dtype=np.float32)), "narrow")
        parts["edges"] = seconds - epoch(replace(contest.pre, adj=alone), "narrow")
        parts["rows"] = seconds - sum(parts.values())
    bound = sum(max(flops / peak["sgemm_flops"], count / peak[where]) for _, flops, count, where in found)
    return {
        "dataset": name,
        "epoch_cpu_seconds": seconds,
        "setup_cpu_seconds": setup,
        "gflop": sum(flops for _, flops, _, _ in found) / 1e9,
        "gigabytes": sum(count for _, _, count, _ in found) / 1e9,
        "bound_seconds": bound,
        "share_of_bound": bound / seconds,
        "parts": parts,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=["cora", "actor", "squirrel", "pubmed", LARGE])
    parser.add_argument("--json", type=File, help="file to write")
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
