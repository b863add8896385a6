"""What does `lsgnn precompute` take today, and what did it take at an older commit? The same graph, in turns.

    git worktree add /some/place a45b3bb
    python -m benchmarks.before --old /some/place --folder /some/disk --json benchmarks/results/before.json

`before` and `arrays` read the same folder of arrays, `tables` a graph of the same kind from Parquet, text as ids, as
in `benchmarks/lake.py`; today's stores are lean (`--keep labelled --store-dtype float16`). CPU seconds are of the whole
command, with all its threads; machine code is compiled before, by a tiny graph.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.lake import measured, size_of, write_tables
from benchmarks.store import write_arrays
from lsgnn.files import write_json
from lsgnn.train.environment import environment

TODAY = Path(__file__).parents[1]
LEAN = ["--keep", "labelled", "--store-dtype", "float16"]
NO_LIMIT = 1 << 40  # bytes


def tables_of(folder: Path) -> list[str]:
    return ["--edges", f"{folder}/edges/*.parquet", "--nodes", f"{folder}/nodes/*.parquet", "--label", "class"]


def one(args: argparse.Namespace, method: str, graph: Path) -> dict[str, float]:
    """What a command takes, and the size of its store."""
    source = {"before": [f"{graph}/arrays"], "arrays": [f"{graph}/arrays", *LEAN], "tables": [*tables_of(graph), *LEAN]}
    limits = ["--max-memory", f"{args.max_memory}MB", "--set", f"K={args.hops}"]
    code, store = args.old.resolve() if method == "before" else TODAY, args.folder / "store"
    os.environ["PYTHONPATH"] = str(code / "src")
    command = [sys.executable, "-m", "lsgnn", "precompute", *source[method], *limits, "--out", str(store)]
    found = measured(command, NO_LIMIT, store) | {"store_megabytes": round(size_of(store) / 1e6)}
    shutil.rmtree(store)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", type=Path, required=True, help="a checkout of the older commit")
    parser.add_argument("--folder", type=Path, required=True, help="emptied first and last; needs room for the graph")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--hops", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--max-memory", type=int, default=600, help="in MB")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    for name, nodes in (("tiny", 1000), ("graph", args.nodes)):
        write_arrays(args.folder / name / "arrays", nodes, args.features, 10 * nodes)
        write_tables(args.folder / name, nodes, args.features)
    rounds: dict[str, list[dict[str, float]]] = {method: [] for method in ("before", "arrays", "tables")}
    for method in rounds:
        one(args, method, args.folder / "tiny")
    commit = ["git", "-C", str(args.old), "rev-parse", "--short", "HEAD"]
    old = subprocess.run(commit, capture_output=True, text=True, check=True).stdout.strip()
    document: dict[str, Any] = {"before": old, "nodes": args.nodes, "edges": 10 * args.nodes, "hops": args.hops}
    document |= {"features": args.features, "max_memory_megabytes": args.max_memory, "environment": environment()}
    for _ in range(args.rounds):
        for method, found in rounds.items():
            found.append(one(args, method, args.folder / "graph"))
            print(method, found[-1], file=sys.stderr, flush=True)
    shutil.rmtree(args.folder)
    middle = {method: {name: median(r[name] for r in found) for name in found[0]} for method, found in rounds.items()}
    print(json.dumps(document := document | {"rounds": rounds, "median": middle}, indent=1))
    if args.json:
        write_json(args.json, document)


if __name__ == "__main__":
    main()
