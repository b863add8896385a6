"""Where do the CPU seconds of a large graph go, and how do they grow? Every stage, from arrays on disk to predictions.

    python -m benchmarks.scale --folder /some/disk --nodes 1000000 3000000 --json benchmarks/results/scale.json

Per size a process of its own runs `precompute`, five epochs of `fit` and `predict` under a profiler of CPU time (of all
threads); the graph is that of `benchmarks/store.py`, ten edges per node, read both ways. Memory may grow with the
graph, so that every size has as many blocks of columns. Sizes take turns, `--rounds` times, in as many calls as you
like: the file keeps every round of the same commit, and a stage's seconds are the median of its rounds. Memory is the
peak of anonymous memory, as in `benchmarks/store.py`. The time on several workers is that of a schedule: blocks of
columns are independent, so w workers take ⌈blocks / w⌉ times as long as one block, and what is not a block is done by
one of them.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import math
import shutil
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.store import measured, write_arrays
from lsgnn.files import write_json
from lsgnn.train.environment import environment

STAGES = {
    "sort of edges": "write_neighbours",
    "filter": "write_filter",
    "features": "write_columns",
    "hops and similarities, block by block": "propagate_block",
    "similarities, added up": "write_similarity",
    "rows of labelled nodes": "write_labelled_rows",
    "precompute": "precompute",
    "fit": "fit_stored",
    "predict": "predict",
}
AFTER = ("fit", "predict")  # `precompute`
IN_BLOCKS = "hops and similarities, block by block"
WORKERS = (1, 2, 4, 8, 16, 32, 64)


def ours(args: argparse.Namespace) -> None:
    """In this process: from arrays to predictions; CPU seconds of every stage to a file, as far as it has come."""
    import torch

    from lsgnn import LSGNNConfig
    from lsgnn.out_of_core import fit_stored, precompute

    torch.set_num_threads(1)
    config, memory = LSGNNConfig(K=args.hops, epochs=5), args.bytes_per_node * args.nodes[0]
    form: dict[str, Any] = dict(keep="labelled", dtype=args.dtype, threads=args.threads)
    write_arrays(args.folder / "tiny", 1000, 8, 5000)
    tiny = precompute(args.folder / "tiny", args.folder / "store-of-tiny", config, **form)  # compiles, if need be
    fit_stored(tiny, config).predict(tiny, args.folder / "tiny.parquet")
    profile = cProfile.Profile(time.process_time)
    with profile:
        store = precompute(args.folder / "arrays", args.folder / "store", config, max_memory=memory, **form)
    about = {"blocks": len(store.manifest.blocks), "store_megabytes": round(store.num_bytes / 1e6)}
    about |= {"labelled": len(store.array("labelled")), "rounding": store.rounding_error}
    write_json(args.folder / "ours.json", {"cpu_seconds": stage_seconds(profile)} | about)
    if args.only_precompute:
        return
    shutil.rmtree(args.folder / "arrays")  # the disk may not hold it and what prediction needs
    with profile:
        fit_stored(store, config).predict(store, args.folder / "predictions.parquet")
    write_json(args.folder / "ours.json", {"cpu_seconds": stage_seconds(profile)} | about)


def stage_seconds(profile: cProfile.Profile) -> dict[str, float]:
    profile.create_stats()
    stats: dict[tuple[str, int, str], Any] = profile.stats  # type: ignore[attr-defined]
    ours = [(function, numbers[3]) for (file, _, function), numbers in stats.items() if "out_of_core" in file]
    found = {stage: sum(s for name, s in ours if name == wanted) for stage, wanted in STAGES.items()}
    return {stage: round(seconds, 2) for stage, seconds in found.items() if seconds}


def one_size(args: argparse.Namespace, nodes: int) -> dict[str, Any]:
    shutil.rmtree(args.folder, ignore_errors=True)
    write_arrays(args.folder / "arrays", nodes, args.features, 10 * nodes)
    document: dict[str, Any] = {"nodes": nodes, "features": args.features, "edges": 10 * nodes, "hops": args.hops}
    names = ("folder", "hops", "bytes_per_node", "dtype", "threads")
    options = [part for name in names for part in (f"--{name.replace('_', '-')}", str(getattr(args, name)))]
    options += ["--only-precompute"] * args.only_precompute
    found = measured("-m", "benchmarks.scale", "--child", "--nodes", str(nodes), *options)
    document |= {name: getattr(args, name) for name in ("bytes_per_node", "dtype", "threads")}
    document["ours"] = json.loads((args.folder / "ours.json").read_text()) | {"peak_megabytes": found["peak_megabytes"]}
    shutil.rmtree(args.folder, ignore_errors=True)
    return document


def joined(size: dict[str, Any], known: dict[str, Any] | None) -> dict[str, Any]:
    """A size with the rounds that the same commit measured before, and every stage's median; a stage that none of them
    has stays as an earlier commit found it."""
    rounds, older = [size["ours"]["cpu_seconds"]], dict[str, float]()
    if known is not None:
        if known["environment"]["commit"] == size["environment"]["commit"]:
            rounds = [*known["rounds"], *rounds]
        size["ours"]["peak_megabytes"] = max(size["ours"]["peak_megabytes"], known["ours"]["peak_megabytes"])
        before = known["ours"]["cpu_seconds"]
        older = {stage: before[stage] for stage in AFTER if stage in before and not any(stage in r for r in rounds)}
        if older:
            by = known.get("later_stages", known)["environment"]
            size = size | {"later_stages": {"of": list(older), "environment": by}}
    found = {stage: [one[stage] for one in rounds if stage in one] for stage in STAGES}
    medians = {stage: round(statistics.median(seconds), 2) for stage, seconds in found.items() if seconds}
    ours = size["ours"] | {"cpu_seconds": older | medians}
    return size | {"ours": ours | {"workers": schedule(ours)}, "rounds": rounds}


def schedule(ours: dict[str, Any]) -> dict[str, float]:
    """Seconds of `precompute` on so many workers of one core each."""
    seconds, blocks = ours["cpu_seconds"], ours["blocks"]
    in_blocks = seconds[IN_BLOCKS]
    alone = seconds["precompute"] - in_blocks
    return {str(w): round(alone + math.ceil(blocks / w) * in_blocks / blocks, 1) for w in WORKERS}


def exponents(sizes: list[dict[str, Any]]) -> dict[str, float]:
    """Of the growth of every stage from the smallest to the largest size: seconds ∝ nodes^exponent."""
    first, last = sizes[0], sizes[-1]
    times = math.log(last["nodes"] / first["nodes"])
    small, large = (size["ours"]["cpu_seconds"] for size in (first, last))
    found = {stage: (small.get(stage), large.get(stage)) for stage in STAGES}
    return {stage: round(math.log(b / a) / times, 2) for stage, (a, b) in found.items() if a and b}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="emptied first and last; needs room for the graph")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000_000, 3_000_000])
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--hops", type=int, default=5)
    parser.add_argument("--bytes-per-node", type=int, default=256, help="of memory: 8 for each column of a block")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", default="float16", choices=["float32", "float16"])
    parser.add_argument("--only-precompute", action="store_true", help="and keep what the file has of fit and predict")
    parser.add_argument("--rounds", type=int, default=1, help="how often each size is measured")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        ours(args)
        return
    for nodes in args.nodes * args.rounds:
        size = one_size(args, nodes) | {"environment": environment()}
        known = json.loads(args.json.read_text())["sizes"] if args.json and args.json.exists() else []
        size = joined(size, next((s for s in known if s["nodes"] == nodes), None))
        sizes = sorted([s for s in known if s["nodes"] != nodes] + [size], key=lambda s: int(s["nodes"]))
        document = {"sizes": sizes, "exponents": exponents(sizes) if len(sizes) > 1 else {}}
        print(json.dumps(size, indent=1), file=sys.stdout, flush=True)
        if args.json:
            write_json(args.json, document)


if __name__ == "__main__":
    main()
