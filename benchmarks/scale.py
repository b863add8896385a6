"""Where do the CPU seconds of a large graph go, and how do they grow? Every stage, from arrays on disk to predictions.

    python benchmarks/scale.py --folder /some/disk --nodes 1000000 3000000 --json benchmarks/results/scale.json

Per size a process of its own runs `precompute`, five epochs of `fit` and `predict` under a profiler of CPU time,
on one thread; the graph is that of `benchmarks/store.py`, ten edges per node, read both ways. PyG's SIGN, which makes
the K powers in memory and no similarities, does so in another process, for sizes up to `--sign`. Memory is the peak of
anonymous memory, as in `benchmarks/store.py`. The time on several workers is that of a schedule: blocks of columns are
independent, so w workers take ⌈blocks / w⌉ times as long as one block, and what is not a block is done by one of them.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import math
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.store import measured, write_arrays
from lsgnn.files import write_json
from lsgnn.train.environment import environment

STAGES = {
    "sort of edges": "write_neighbours",
    "filter": "_write_filter",
    "features": "write_columns",
    "similarities, block by block": "_write_sums",
    "hops, block by block": "_write_rows",
    "similarities, added up": "write_similarity",
    "rows of labelled nodes": "write_labelled_rows",
    "precompute": "precompute",
    "fit": "fit_stored",
    "predict": "predict",
}
IN_BLOCKS = ("similarities, block by block", "hops, block by block")
WORKERS = (1, 2, 4, 8, 16, 32, 64)


def ours(folder: Path, out: Path, hops: int, memory: int, dtype: str) -> None:
    """In this process: from arrays to predictions; CPU seconds of every stage to a file."""
    import torch

    from lsgnn import LSGNNConfig
    from lsgnn.out_of_core import fit_stored, precompute

    torch.set_num_threads(1)
    config, form = LSGNNConfig(K=hops, epochs=5), dict(max_memory=memory, keep="labelled", dtype=dtype, threads=1)

    def from_arrays_to_predictions(arrays: Path) -> Any:
        store = precompute(arrays, arrays.with_name(f"store-of-{arrays.name}"), config, **form)
        fit_stored(store, store.config).predict(store, folder / "predictions.parquet")
        return store

    write_arrays(folder / "tiny", 1000, 8, 5000)
    from_arrays_to_predictions(folder / "tiny")  # compiles, if need be
    profile = cProfile.Profile(time.process_time)
    with profile:
        store = from_arrays_to_predictions(folder / "arrays")
    profile.create_stats()
    stats: dict[tuple[str, int, str], Any] = profile.stats  # type: ignore[attr-defined]
    ours = [(function, numbers[3]) for (file, _, function), numbers in stats.items() if "out_of_core" in file]
    seconds = {stage: round(sum(s for name, s in ours if name == wanted), 2) for stage, wanted in STAGES.items()}
    about = {"blocks": len(store.manifest.blocks), "store_megabytes": round(store.num_bytes / 1e6)}
    write_json(out, {"cpu_seconds": seconds} | about | {"rounding": store.rounding_error})


def sign(folder: Path, out: Path, hops: int) -> None:
    """In this process: PyG's transform on the same edges, both ways; CPU seconds to a file."""
    import torch
    from torch_geometric.data import Data
    from torch_geometric.transforms import SIGN
    from torch_geometric.utils import to_undirected

    torch.set_num_threads(1)
    x = torch.from_numpy(np.load(folder / "arrays" / "x.npy"))
    edges = to_undirected(torch.from_numpy(np.load(folder / "arrays" / "edge_index.npy")))
    start = time.process_time()
    SIGN(hops)(Data(x=x, edge_index=edges))
    write_json(out, {"cpu_seconds": round(time.process_time() - start, 2)})


def one_size(args: argparse.Namespace, nodes: int) -> dict[str, Any]:
    shutil.rmtree(args.folder, ignore_errors=True)
    write_arrays(args.folder / "arrays", nodes, args.features, 10 * nodes)
    document: dict[str, Any] = {"nodes": nodes, "features": args.features, "edges": 10 * nodes, "hops": args.hops}
    document |= {"max_memory_megabytes": args.max_memory, "dtype": args.dtype}
    for child in ("ours", *(["sign"] if nodes <= args.sign else [])):
        out = args.folder / f"{child}.json"
        given = {"folder": args.folder, "hops": args.hops, "max-memory": args.max_memory, "dtype": args.dtype}
        options = [part for name, value in given.items() for part in (f"--{name}", str(value))]
        peak = measured(__file__, "--child", child, *options)["peak_megabytes"]
        document[child] = json.loads(out.read_text()) | {"peak_megabytes": peak}
    document["ours"]["workers"] = schedule(document["ours"])
    shutil.rmtree(args.folder, ignore_errors=True)
    return document


def schedule(ours: dict[str, Any]) -> dict[str, float]:
    """Seconds of `precompute` on so many workers of one core each."""
    seconds, blocks = ours["cpu_seconds"], ours["blocks"]
    in_blocks = sum(seconds[stage] for stage in IN_BLOCKS)
    alone = seconds["precompute"] - in_blocks
    return {str(w): round(alone + math.ceil(blocks / w) * in_blocks / blocks, 1) for w in WORKERS}


def exponents(sizes: list[dict[str, Any]]) -> dict[str, float]:
    """Of the growth of every stage from the smallest to the largest size: seconds ∝ nodes^exponent."""
    first, last = sizes[0], sizes[-1]
    times = math.log(last["nodes"] / first["nodes"])
    pairs = {stage: (first["ours"]["cpu_seconds"][stage], last["ours"]["cpu_seconds"][stage]) for stage in STAGES}
    return {stage: round(math.log(b / a) / times, 2) for stage, (a, b) in pairs.items() if a > 0 and b > 0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="emptied first and last; needs room for the graph")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000_000, 3_000_000])
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--hops", type=int, default=5)
    parser.add_argument("--max-memory", type=int, default=600, help="in MB")
    parser.add_argument("--dtype", default="float16", choices=["float32", "float16"])
    parser.add_argument("--sign", type=int, default=1_000_000, help="largest size at which SIGN is measured, too")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    out = args.folder / f"{args.child}.json"
    if args.child == "ours":
        ours(args.folder, out, args.hops, args.max_memory * 10**6, args.dtype)
    elif args.child == "sign":
        sign(args.folder, out, args.hops)
    else:
        sizes = [one_size(args, nodes) for nodes in sorted(args.nodes)]
        document = {"sizes": sizes, "exponents": exponents(sizes) if len(sizes) > 1 else {}}
        print(json.dumps(document, indent=1), file=sys.stdout)
        if args.json:
            write_json(args.json, document | {"environment": environment()})


if __name__ == "__main__":
    main()
