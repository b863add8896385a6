"""From Parquet with text as ids to calibrated predictions in Parquet, one command each, within an enforced limit.

    python -m benchmarks.lake --folder /some/disk --nodes 1000000 10000000 --json benchmarks/results/lake.json

Per size the tables are written chunk by chunk (nodes: id, features, class of 2 %; edges: source, target; ten per node),
then `lsgnn precompute`, `lsgnn fit` and `lsgnn predict` run as commands of a shell would. The limit is RLIMIT_DATA of
each process: Linux refuses it more than so many bytes of private writable memory, whether they are touched or not.
CPU seconds are of the process with all its threads, the peak is its anonymous memory, looked at every 20 ms.
The disk is the most that the store's folder held on the way, looked at every 20 ms, and what it holds in the end. Sizes
are measured one by one, in as many calls as you like: the file keeps those of earlier ones.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lsgnn.config import LSGNNConfig
from lsgnn.files import write_json, write_text
from lsgnn.train.environment import environment

ROWS, CLASSES, EDGES_PER_NODE = 250_000, 10, 10  # rows of a chunk
SPREAD = 0x9E3779B1  # odd, so that i · SPREAD modulo 2^32 are other numbers for other i


def ids(numbers: np.ndarray[Any, np.dtype[np.int64]]) -> pa.Array:
    """Text in no order."""
    digits = pa.array((numbers.astype(np.uint64) * SPREAD) % 2**32).cast(pa.string())
    return pc.binary_join_element_wise("n", digits, "")


def write_tables(folder: Path, nodes: int, features: int) -> None:
    """nodes/ and edges/, folders of Parquet files."""
    random = np.random.default_rng(0)
    y = random.integers(0, CLASSES, nodes, dtype=np.int8)
    known = random.random(nodes, np.float32) < 0.02
    centres = random.standard_normal((CLASSES, features)).astype(np.float32)
    for name in ("nodes", "edges"):
        (folder / name).mkdir(parents=True)
    names_of_classes = pa.array([f"class {c}" for c in range(CLASSES)])
    names = ["id", *(f"f{c}" for c in range(features)), "class"]
    for part, rows in enumerate(_chunks(nodes)):
        x = centres[y[rows]] + 3 * random.standard_normal((rows.stop - rows.start, features), np.float32)
        classes = pc.if_else(pa.array(known[rows]), names_of_classes.take(y[rows]), None)
        columns = [ids(np.arange(rows.start, rows.stop)), *(pa.array(np.ascontiguousarray(c)) for c in x.T), classes]
        _write(folder / "nodes" / f"part-{part:05}.parquet", pa.table(columns, names))
    of_class = np.argsort(y, kind="stable").astype(np.int32)
    first, size = np.searchsorted(y[of_class], np.arange(CLASSES)), np.bincount(y, minlength=CLASSES)
    for part, rows in enumerate(_chunks(EDGES_PER_NODE * nodes, 4 * ROWS)):
        source, target = random.integers(0, nodes, (2, rows.stop - rows.start))
        own = np.where(random.random(len(source)) < 0.5, y[source], -1)  # half of the edges join nodes of one class
        alike = own >= 0
        own = own[alike]
        target[alike] = of_class[first[own] + random.integers(0, 2**62, len(own)) % size[own]]
        _write(folder / "edges" / f"part-{part:05}.parquet", pa.table([ids(source), ids(target)], ["source", "target"]))


def _chunks(n: int, at_once: int = ROWS) -> list[slice]:
    return [slice(start, min(start + at_once, n)) for start in range(0, n, at_once)]


def _write(file: Path, table: pa.Table) -> None:
    pq.write_table(table, file, use_dictionary=False, compression="lz4", row_group_size=ROWS)


def measured(command: list[str], limit: int, folder: Path) -> dict[str, float]:
    """CPU seconds, wall seconds and peak anonymous megabytes of a process that may have `limit` bytes of data, and the
    most megabytes that `folder` holds meanwhile."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    peak = disk = 0

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=limited)
    status = Path(f"/proc/{child.pid}/status")
    while child.poll() is None:
        lines = status.read_text().splitlines()
        peak = max([peak, *(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))])
        disk = max(disk, size_of(folder))
        time.sleep(0.02)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wall = time.perf_counter() - start
    sizes = {"peak_megabytes": round(peak / 1024, 1), "disk_megabytes": round(disk / 1e6)}
    return {"cpu_seconds": round(seconds, 1), "wall_seconds": round(wall, 1)} | sizes


def size_of(folder: Path) -> int:
    """Bytes of its files; some may vanish while they are counted."""
    total = 0
    for place, _, files in os.walk(folder):
        for file in files:
            with suppress(FileNotFoundError):
                total += os.stat(os.path.join(place, file)).st_size
    return total


def one_size(args: argparse.Namespace, nodes: int) -> dict[str, Any]:
    folder, limit = args.folder / str(nodes), args.limit * 10**6
    if not (folder / "written").exists():
        shutil.rmtree(folder, ignore_errors=True)
        write_tables(folder, nodes, args.features)
        (folder / "written").touch()
    store, run = folder / "store", folder / "run"
    lsgnn = [sys.executable, "-m", "lsgnn"]
    document: dict[str, Any] = {"nodes": nodes, "edges": EDGES_PER_NODE * nodes, "features": args.features}
    document |= {"hops": args.hops, "input_megabytes": round(size_of(folder) / 1e6), "threads": args.threads}
    document |= {"limit_megabytes": args.limit, "max_memory_megabytes": args.max_memory, "environment": environment()}
    tables = ["--edges", f"{folder}/edges/*.parquet", "--nodes", f"{folder}/nodes/*.parquet", "--label", "class"]
    form = ["--keep", "labelled", "--store-dtype", "float16", "--max-memory", f"{args.max_memory}MB"]
    made = ["--threads", str(args.threads), "--set", f"K={args.hops}", "--out", str(store)]
    write_text(preset := folder / "config.toml", LSGNNConfig(K=args.hops, epochs=args.epochs).to_toml())
    steps = {
        "precompute": ["precompute", *tables, *form, *made],
        "fit": ["fit", str(store), "--preset", str(preset), "--out", str(run)],
        "predict": ["predict", str(run), str(store), "--out", str(folder / "predictions")],
    }
    for name, step in steps.items():
        document[name] = measured([*lsgnn, *step], limit, store if name == "precompute" else folder / "predictions")
        print(nodes, name, document[name], file=sys.stderr, flush=True)
        if name == "precompute":
            document["store_megabytes"] = round(size_of(store) / 1e6)
            if args.remove_inputs:
                for table in ("nodes", "edges"):
                    shutil.rmtree(folder / table)
    predictions = pq.ParquetDataset(folder / "predictions").read(columns=["id"])
    document |= {"predicted_nodes": predictions.num_rows}
    shutil.rmtree(folder)
    return document


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="for tables and stores; a graph's own is removed")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--hops", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=int, default=4000, help="RLIMIT_DATA in MB")
    parser.add_argument("--max-memory", type=int, default=2600, help="of precompute, in MB")
    parser.add_argument("--remove-inputs", action="store_true", help="once the store is there, for want of disk")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    for nodes in args.nodes:
        size = one_size(args, nodes)
        known = json.loads(args.json.read_text())["sizes"] if args.json and args.json.exists() else []
        sizes = sorted([s for s in known if s["nodes"] != nodes] + [size], key=lambda s: int(s["nodes"]))
        print(json.dumps(size, indent=1), file=sys.stdout, flush=True)
        if args.json:
            write_json(args.json, {"sizes": sizes})


if __name__ == "__main__":
    main()
