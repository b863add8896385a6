"""How near is the fused engine to what this CPU can do? Flops and bytes of an epoch against measured peaks, one thread.

    LSGNN_DATA=../shared/data python benchmarks/roofline.py --json benchmarks/results/roofline.json

Peaks are measured here (`peaks.py`): multiply-adds in registers, and what is read from each cache and from memory. The
bound of an epoch is the sum over its products of the longer of both: flops at the peak, bytes at the bandwidth of
where they come from. Dense products read the packed channels from memory, and for the gradient once more: from the
second-level cache where rows are done a few at a time. Narrow ones gather rows of a tile, its columns and eight bytes
of index and value per entry (a pair of tiles shares these): features from the second-level cache, or from the first
where their weights fit it, and a row of Y per node is written, or read for the gradient; levels of propagation, which
also read and write a row of every node, from the third-level one where the [nodes, tile] buffers do not fit the second.
Rows between the reduction and its gradient write and read what was reduced; of what they compute, only the output
layer's flops count, so that the bound is a little too low.

On the narrow path an epoch is trained again without any feature and without any edge: what it then takes less is their
part, and the rest is the rows'. An epoch of SGC is measured beside it: where the bound of ours is not below it, only
another algorithm could be as quick.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path as File
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from peaks import FLOAT, fastest, level_size, peaks
from train_cost import LARGE, Contest

from lsgnn.files import write_json
from lsgnn.propagate.precompute import Precomputed
from lsgnn.train.environment import environment
from lsgnn.train.fused import train_cpu
from lsgnn.train.fused.buffers import rows_together
from lsgnn.train.fused.paths import Path
from lsgnn.train.fused.structs import Narrow
from lsgnn.train.fused.task import Task


def products(task: Task) -> list[tuple[str, float, float, str]]:
    """(name, flops, bytes, where they come from) of what an epoch multiplies."""
    layout, t, b = task.layout, task.train_rows, len(task.rows.node)
    together = task.H is not None and rows_together(layout, task.H)
    reduced = float(FLOAT * layout.width * 2 * (b + t))  # rows of Z and of the gradient at it, written and read
    where = "cache_bytes" if together or reduced < 4 * level_size(2) else "third_level_bytes"
    found = [("rows", float(2 * layout.C * layout.blocks * layout.z * (b + 2 * t)), reduced, where)]
    if task.H is not None:
        each = 2 * layout.d * layout.width
        found.append(("forward", float(each * b), float(FLOAT * (2 * layout.K + 1) * layout.d * b), "memory_bytes"))
        again = "cache_bytes" if together else "memory_bytes"
        found.append(("gradient", float(each * t), float(FLOAT * (2 * layout.K + 1) * layout.d * t), again))
    if task.narrow is not None:
        for first, end in pairwise(task.narrow.unit):
            found += unit_products(task, task.narrow, range(first, end))
    return found


def unit_products(task: Task, narrow: Narrow, tiles: range) -> list[tuple[str, float, float, str]]:
    """Of the tiles that meet the features together, and the edges one after the other."""
    graph, sizes = narrow.forth, [int(narrow.tile_size[tile]) for tile in tiles]  # released settings read one direction
    stored, columns = len(narrow.X.value) + len(narrow.XT.value), sum(sizes)
    weights = FLOAT * columns * task.layout.d
    near = "first_level_bytes" if weights <= level_size(0) else "cache_bytes"
    rows = FLOAT * columns * (len(narrow.X.rows) + task.reached)  # of Y, written and read for the gradient
    found = [("features", 2.0 * columns * stored, (8.0 + FLOAT * columns) * stored + rows, near)]
    for tile, size in zip(tiles, sizes, strict=True):
        top = int(narrow.tile_top[tile])
        outer = len(graph.outer.value) + len(graph.outer_T.value) if top else 0
        levels = max(0, top - 1)
        edges = levels * (len(graph.inner.value) + len(graph.inner_T.value)) + outer
        passes = 2.0 * FLOAT * size * task.reached * 2 * (levels + (top > 0))
        where = "cache_bytes" if FLOAT * size * task.reached < level_size(2) else "third_level_bytes"
        found.append(("edges", 2.0 * size * edges, (8.0 + FLOAT * size) * edges + passes, where))
    return found


Products = list[tuple[str, float, float, str]]  # see `products`


def measure(name: str) -> tuple[dict[str, Any], Products]:
    """Seconds of an epoch and its parts, and what it multiplies."""
    contest = Contest(name)
    initial, few, more = contest.model().state_dict(), 2, 7 if name == LARGE else 42

    def run(epochs: int, pre: Precomputed, path: Path) -> None:
        config = contest.config.replace(epochs=epochs, patience=0)
        train_cpu(pre, contest.graph.y, contest.split, config, initial, threads=1, path=path)

    def epoch(pre: Precomputed, path: Path = "auto") -> float:
        return (fastest(lambda: run(more, pre, path)) - fastest(lambda: run(few, pre, path))) / (more - few)

    run(1, contest.pre, "auto")  # compiles, if need be
    seconds, sgc = epoch(contest.pre), contest.sgc()
    sgc_seconds = (fastest(lambda: sgc(more)) - fastest(lambda: sgc(few))) / (more - few)
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
    entry = {
        "dataset": name,
        "epoch_cpu_seconds": seconds,
        "sgc_epoch_cpu_seconds": sgc_seconds,
        "setup_cpu_seconds": setup,
        "parts": parts,
    }
    return entry, found


def bounded(seconds: float, products: Products, peak: dict[str, float]) -> dict[str, float]:
    """The least that the products could take, and which share of that an epoch of so many seconds reaches."""
    bound = sum(max(flops / peak["flops"], count / peak[where]) for _, flops, count, where in products)
    return {
        "gflop": sum(flops for _, flops, _, _ in products) / 1e9,
        "gigabytes": sum(count for _, _, count, _ in products) / 1e9,
        "bound_seconds": bound,
        "share_of_bound": bound / seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=["cora", "actor", "squirrel", "pubmed", LARGE])
    parser.add_argument("--json", type=File, help="file to write")
    args = parser.parse_args()
    torch.set_num_threads(1)
    measured, found = [peaks()], []
    for name in args.datasets:
        found.append(measure(name))
        measured.append(peaks())  # again: a peak is what was ever reached, and a machine has slow moments
        print(f"{name}: measured", file=sys.stderr, flush=True)
    peak = {name: max(one[name] for one in measured) for name in measured[0]}
    print({name: f"{value / 1e9:.1f} G/s" for name, value in peak.items()})
    results = [entry | bounded(entry["epoch_cpu_seconds"], products, peak) for entry, products in found]
    for entry in results:
        print({key: round(v, 4) if isinstance(v, float) else v for key, v in entry.items()})
    if args.json:
        write_json(args.json, {"peaks": peak, "results": results, "environment": environment()})


if __name__ == "__main__":
    main()
