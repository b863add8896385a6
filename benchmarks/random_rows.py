"""What does a row from a random place cost, the larger the table is? The least that a hop over a random graph can grow.

    python -m benchmarks.random_rows --json benchmarks/results/random_rows.json

A loop that adds up one number of each line of a row, of rows in random order, each asked for long before it is read: no
arithmetic of a model, no file, no write. Tables have rows of 128 bytes (a block of 32 columns, as hops read it), of 4
(lengths, for similarities) and of one byte (degrees, for the filter), and as many rows as graphs have nodes. From the
smallest to the largest table a row's nanoseconds grow with an exponent of their own, because caches and the
processor's table of pages hold less and less of it. A stage that reads such a row for every edge grows by at least
that beyond its edges, however it is written. Sizes take turns; medians of the rounds; CPU seconds of one thread.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from lsgnn.files import write_json
from lsgnn.propagate.aligned import LINE, aligned
from lsgnn.propagate.prefetch import prefetch
from lsgnn.train.environment import environment

TABLES = {"hops": (32, np.float32), "similarities": (1, np.float32), "filter": (1, np.uint8)}
AHEAD = 32  # rows; 8, 16 and 64 cost the same within the noise
ROWS = 20_000_000  # that are read of each table


@njit(nogil=True)  # type: ignore[untyped-decorator]
def total_of(table: NDArray[Any], order: NDArray[np.int32], line: int) -> float:
    total = 0.0
    for place in range(order.shape[0] - AHEAD):
        for c in range(0, table.shape[1], line):
            prefetch(table, order[place + AHEAD], c)
            total += table[order[place], c]
    return total


def nanoseconds(stage: str, nodes: int, order: NDArray[np.int32]) -> float:
    """Of one row."""
    columns, kind = TABLES[stage]
    table = aligned(nodes, columns) if kind is np.float32 else np.empty((nodes, columns), kind)
    table[...] = 1  # so that the memory is really there
    line = LINE // table.itemsize
    total_of(table, order[: 2 * AHEAD], line)
    begun = time.process_time()
    total_of(table, order, line)
    return (time.process_time() - begun) / len(order) * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000_000, 3_000_000, 30_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    sizes, random = sorted(args.nodes), np.random.default_rng(0)
    found: dict[str, dict[int, list[float]]] = {stage: {nodes: [] for nodes in sizes} for stage in TABLES}
    for nodes in sizes * args.rounds:
        order = random.integers(0, nodes, ROWS, dtype=np.int32)
        for stage, of_size in found.items():
            of_size[nodes].append(round(nanoseconds(stage, nodes, order), 2))
    medians = {stage: {n: statistics.median(of_size[n]) for n in sizes} for stage, of_size in found.items()}
    times = math.log(sizes[-1] / sizes[0])
    growth = {
        stage: round(1 + math.log(of_size[sizes[-1]] / of_size[sizes[0]]) / times, 2)
        for stage, of_size in medians.items()
    }
    document = {
        "nanoseconds_per_row": medians,
        "least_exponent": growth,
        "rounds": found,
        "threads": 1,
        "environment": environment(),
    }
    print(json.dumps(document, indent=1), file=sys.stdout)
    if args.json:
        write_json(args.json, document)


if __name__ == "__main__":
    main()
