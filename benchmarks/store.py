"""What does a graph larger than the memory it may use take? CPU time and peak memory of `lsgnn precompute` and `fit`.

    python benchmarks/store.py --folder /some/disk --json benchmarks/results/store.json

A synthetic graph is written as a folder of arrays, chunk by chunk; 2 % of its nodes are labelled. Peak is anonymous
memory, looked at every 20 ms: what a process allocates, without the files that it maps, which the system may drop at
any time. It includes Python and the libraries, whose own share (of precompute; fit loads torch, too) is given as well.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap

from lsgnn.config import LSGNNConfig
from lsgnn.files import write_json, write_text
from lsgnn.train.environment import environment

CHUNK = 100_000  # nodes written at a time
CLASSES = 10


def write_arrays(folder: Path, nodes: int, features: int, edges: int, labelled: float = 0.02) -> None:
    """Features around their class's centre; half of the edges join nodes of one class; some nodes are labelled."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    y = random.integers(0, CLASSES, nodes)
    centres = random.standard_normal((CLASSES, features)).astype(np.float32)
    x = open_memmap(folder / "x.npy", mode="w+", dtype=np.float32, shape=(nodes, features))
    for start in range(0, nodes, CHUNK):
        part = slice(start, min(start + CHUNK, nodes))
        x[part] = centres[y[part]] + 3 * random.standard_normal((part.stop - start, features), np.float32)
    of_class = np.argsort(y, kind="stable")
    first, size = np.searchsorted(y[of_class], np.arange(CLASSES)), np.bincount(y, minlength=CLASSES)
    edge_index = open_memmap(folder / "edge_index.npy", mode="w+", dtype=np.int64, shape=(2, edges))
    for start in range(0, edges, 10 * CHUNK):
        part = slice(start, min(start + 10 * CHUNK, edges))
        source, target = random.integers(0, nodes, (2, part.stop - start))
        alike = random.random(len(source)) < 0.5
        own = y[source[alike]]
        target[alike] = of_class[first[own] + random.integers(0, 2**62, len(own)) % size[own]]
        edge_index[:, part] = source, target
    np.save(folder / "y.npy", np.where(random.random(nodes) < labelled, y, -1))


def measured(*arguments: str) -> dict[str, float]:
    """CPU seconds and peak anonymous megabytes of a Python process."""
    before, peak = getrusage(RUSAGE_CHILDREN), 0
    child = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    status = Path(f"/proc/{child.pid}/status")
    while child.poll() is None:
        anonymous = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("RssAnon")]
        peak = max([peak, *map(int, anonymous)])
        time.sleep(0.02)
    if child.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed")
    after = getrusage(RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu_seconds": round(seconds, 1), "peak_megabytes": round(peak / 1024, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="emptied first and last; needs room for the store")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--max-memory", type=int, default=200, help="in MB")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    arrays, store = args.folder / "arrays", args.folder / "store"
    write_arrays(arrays, args.nodes, args.features, args.edges)
    # a whole configuration: what it leaves open would be tried first
    config = LSGNNConfig(K=args.hops, epochs=args.epochs).to_toml()
    write_text(preset := args.folder / "config.toml", config)
    limit = ("--max-memory", f"{args.max_memory}MB", "--set", f"K={args.hops}")
    steps = {
        "libraries": ("-c", "import lsgnn.out_of_core.filling"),
        "precompute": ("-m", "lsgnn", "precompute", str(arrays), "--out", str(store), *limit),
        "fit": ("-m", "lsgnn", "fit", str(store), "--preset", str(preset)),
    }
    result: dict[str, Any] = {name: measured(*arguments) for name, arguments in steps.items()}
    size = sum(file.stat().st_size for file in store.rglob("*.npy"))
    given = {name: getattr(args, name) for name in ("nodes", "features", "edges", "hops", "max_memory", "epochs")}
    document = given | {"store_megabytes": round(size / 1e6)} | result | {"environment": environment()}
    shutil.rmtree(args.folder, ignore_errors=True)
    print(document)
    if args.json:
        write_json(args.json, document)


if __name__ == "__main__":
    main()
