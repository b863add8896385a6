"""Is precomputation as fast as PyG's SIGN? Ours on disk and in memory beside it, in turns, one thread.

    python -m benchmarks.sign --folder /some/disk --rounds 3 --json benchmarks/results/sign.json

Every measurement is a process of its own; methods take turns, because the machine may be in use. `sign` makes the K
powers of X from edges both ways, in memory. `store` reads the same arrays from disk and leaves a store: sorted edges,
filter, similarities, powers of the labelled rows, digests (`--keep labelled --store-dtype float16`). `powers` makes
in memory what SIGN makes, from what SIGN is given: the sorted edges, the filter, and K+1 arrays, which is what a run
on a large graph keeps of all nodes (`lsgnn.runs.row_parts`). `graph` does all that is done once for a graph in memory:
it also reads edges both ways, scales features and compares neighbours. `channels` makes the powers and mixes them, as
the paper's equations do, into 2K+1 arrays, which only smaller graphs do. Memory is the peak of anonymous memory, as in
`benchmarks/store.py`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.store import measured, write_arrays
from lsgnn.files import write_json
from lsgnn.train.environment import environment

METHODS = ("sign", "store", "powers", "graph", "channels")


def sign(folder: Path, hops: int, memory: int) -> float:
    import torch
    from torch_geometric.data import Data
    from torch_geometric.transforms import SIGN
    from torch_geometric.utils import to_undirected

    torch.set_num_threads(1)
    x = torch.from_numpy(np.load(folder / "arrays" / "x.npy"))
    edges = to_undirected(torch.from_numpy(np.load(folder / "arrays" / "edge_index.npy")))
    start = time.process_time()
    SIGN(hops)(Data(x=x, edge_index=edges))
    return time.process_time() - start


def store(folder: Path, hops: int, memory: int) -> float:
    from lsgnn.config import LSGNNConfig
    from lsgnn.out_of_core.filling import precompute

    config, form = LSGNNConfig(K=hops), dict(keep="labelled", dtype="float16", threads=1)
    for name in ("tiny", "arrays"):  # the tiny one compiles, if need be
        shutil.rmtree(folder / "store", ignore_errors=True)
        start = time.process_time()
        precompute(folder / name, folder / "store", config, max_memory=memory, **form)  # type: ignore[arg-type]
    return time.process_time() - start


def powers(folder: Path, hops: int, memory: int) -> float:
    from lsgnn.config import LSGNNConfig
    from lsgnn.runs.row_parts import LargeRows

    config, (x, both) = LSGNNConfig(K=hops), compiled_and_read(folder, hops)
    start = time.process_time()
    LargeRows.of(filtered(x, both, config), config)
    return time.process_time() - start


def channels(folder: Path, hops: int, memory: int) -> float:
    from lsgnn.config import LSGNNConfig
    from lsgnn.propagate.precompute import channels as mixed

    config, (x, both) = LSGNNConfig(K=hops), compiled_and_read(folder, hops)
    start = time.process_time()
    mixed(filtered(x, both, config), config)
    return time.process_time() - start


def graph(folder: Path, hops: int, memory: int) -> float:
    from lsgnn.config import LSGNNConfig
    from lsgnn.graph.graph import Graph
    from lsgnn.propagate.precompute import precompute
    from lsgnn.runs.row_parts import LargeRows

    config, (x, both) = LSGNNConfig(K=hops), compiled_and_read(folder, hops)
    whole = Graph(x=x, edge_index=both[:, : both.shape[1] // 2])
    del both
    start = time.process_time()
    LargeRows.of(precompute(whole, config), config)
    return time.process_time() - start


def compiled_and_read(folder: Path, hops: int) -> tuple[Any, Any]:
    """Features [n, d] and the edges, each both ways; what a tiny graph needs is compiled."""
    from lsgnn.config import LSGNNConfig
    from lsgnn.graph.graph import Graph
    from lsgnn.propagate.precompute import channels, precompute
    from lsgnn.runs.row_parts import LargeRows

    config = LSGNNConfig(K=hops)
    tiny = precompute(Graph(x=np.ones((10, 4), np.float32), edge_index=np.array([[0, 1], [1, 2]])), config)
    channels(tiny, config)
    LargeRows.of(tiny, config)
    x, edges = (np.load(folder / "arrays" / f"{name}.npy") for name in ("x", "edge_index"))
    return x, np.concatenate([edges, edges[::-1]], axis=1)


def filtered(x: Any, both: Any, config: Any) -> Any:
    """The features beside Â of the edges, whose similarities nobody asks for here."""
    import scipy.sparse as sp

    from lsgnn.propagate.filters import normalized_adjacency
    from lsgnn.propagate.precompute import Precomputed
    from lsgnn.propagate.similarity import NeighbourSimilarity

    A = sp.csr_array((np.ones(both.shape[1], np.float32), (both[0], both[1])), shape=(len(x), len(x)))
    A.data[:] = 1  # an edge that is given twice counts once
    return Precomputed(x, normalized_adjacency(A, config.degree), NeighbourSimilarity.unknown(sp.csr_array((1, 1))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="emptied first and last; needs room for the graph")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--hops", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--max-memory", type=int, default=600, help="of the store, in MB")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", choices=METHODS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        methods = {"sign": sign, "store": store, "powers": powers, "graph": graph, "channels": channels}
        seconds = methods[args.child](args.folder, args.hops, args.max_memory * 10**6)
        write_json(args.folder / "child.json", {"cpu_seconds": round(seconds, 2)})
        return
    shutil.rmtree(args.folder, ignore_errors=True)
    write_arrays(args.folder / "tiny", 1000, 8, 5000)
    write_arrays(args.folder / "arrays", args.nodes, args.features, 10 * args.nodes)
    options = ["--folder", str(args.folder), "--hops", str(args.hops), "--max-memory", str(args.max_memory)]
    rounds: dict[str, list[dict[str, float]]] = {method: [] for method in METHODS}
    document: dict[str, Any] = {"nodes": args.nodes, "edges": 10 * args.nodes, "features": args.features}
    document |= {"hops": args.hops, "max_memory_megabytes": args.max_memory, "environment": environment()}
    for _ in range(args.rounds):
        for method, found in rounds.items():
            peak = measured("-m", "benchmarks.sign", "--child", method, *options)["peak_megabytes"]
            found.append(json.loads((args.folder / "child.json").read_text()) | {"peak_megabytes": peak})
            print(method, found[-1], flush=True)
        if args.json:  # after every round, so that a long run may be ended
            write_json(args.json, document | {"rounds": rounds, "median": medians(rounds)})
    shutil.rmtree(args.folder)


def medians(rounds: dict[str, list[dict[str, float]]]) -> dict[str, dict[str, float]]:
    return {method: {name: median(one[name] for one in found) for name in found[0]} for method, found in rounds.items()}


if __name__ == "__main__":
    main()
