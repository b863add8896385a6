"""What does an epoch on a store take: by the fused engine, by the torch loop, and by a copy of the rows it reads?

    python benchmarks/store_epochs.py --folder /some/disk --json benchmarks/results/store_epochs.json

CPU seconds of one thread, the better of two epochs in each round; both engines take turns, so that a machine in use
slows both. The copy is what no engine can do without: every row that an epoch reads, in its order, from the
memory-mapped file into memory. The first epoch of each run is left out: it may compile.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # after the number of threads

from benchmarks.store import write_arrays
from lsgnn.config import LSGNNConfig
from lsgnn.files import write_json
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.training import batches, parts_of, train_stored
from lsgnn.train.engine import Engine
from lsgnn.train.environment import environment

BATCH = 8192
ENGINES: tuple[Engine, ...] = ("cpu", "torch")


def seconds_of_epoch(store: Store, config: LSGNNConfig, engine: Engine) -> tuple[float, float]:
    """CPU seconds of the better of two epochs, and the validation loss after them."""
    ends = [time.process_time()]
    threads = 1 if engine == "cpu" else None
    trained = train_stored(
        store,
        config.replace(epochs=3),
        batch_size=BATCH,
        engine=engine,
        threads=threads,
        on_epoch=lambda _: ends.append(time.process_time()),
    )
    return float(np.diff(ends)[1:].min()), trained.history[-1]["val_loss"]


def seconds_of_copy(store: Store, K: int) -> float:
    rows, (train, val) = store.array("rows"), parts_of(store)
    start = time.process_time()
    for part in [*batches(train, BATCH, np.random.default_rng(0)), *np.array_split(val, -(-len(val) // BATCH))]:
        rows[part]
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="emptied first and last")
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--edges", type=int, default=2_000_000)
    parser.add_argument("--hops", type=int, default=5)
    parser.add_argument("--labelled", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    write_arrays(args.folder / "arrays", args.nodes, args.features, args.edges, args.labelled)
    given = {name: getattr(args, name) for name in ("nodes", "features", "edges", "hops", "labelled", "rounds")}
    results: list[dict[str, Any]] = []
    for dtype in ("float32", "float16"):
        made: dict[str, Any] = dict(max_memory=600 << 20, keep="labelled", dtype=dtype)
        config = LSGNNConfig(K=args.hops, dropout=0.0)
        store = precompute(str(args.folder / "arrays"), args.folder / dtype, config, **made)
        train, val = parts_of(store)
        found: dict[str, list[float]] = {name: [] for name in (*ENGINES, "copy")}
        losses: dict[str, float] = {}
        for _ in range(args.rounds):
            for engine in ENGINES:
                seconds, losses[engine] = seconds_of_epoch(store, config, engine)
                found[engine].append(seconds)
            found["copy"].append(seconds_of_copy(store, args.hops))
        entry = {name: round(statistics.median(values), 3) for name, values in found.items()}
        sizes = {"dtype": dtype, "train_rows": len(train), "val_rows": len(val)}
        results.append(sizes | {"cpu_seconds_per_epoch": entry, "val_loss": losses})
        print(results[-1])
    shutil.rmtree(args.folder, ignore_errors=True)
    if args.json:
        write_json(args.json, given | {"batch_size": BATCH, "results": results, "environment": environment()})


if __name__ == "__main__":
    main()
