"""What does propagation cost? Seconds and peak memory of `channels`, PyG's SIGN and scipy against the size of a graph.

    python benchmarks/precompute.py --nodes 10000 100000 --json precompute.json

Random graphs with `--degree` edges per node, d dense features, K hops. `lsgnn` yields both channels of all hops (2K+1
arrays), SIGN and scipy the K powers only (K+1 arrays): less than half of the result. Every measurement is a process of
its own, so that peak memory is its own; "beyond the result" is the peak minus what was there before and the result.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

METHODS = ["lsgnn", "sign", "scipy"]


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def one_measurement(method: str, n: int, degree: int, d: int, K: int) -> dict[str, float]:
    """In this process: CPU and wall seconds, peak memory, size of the result."""
    import torch

    from lsgnn.config import LSGNNConfig
    from lsgnn.graph.graph import Graph
    from lsgnn.propagate.precompute import Precomputed, channels, precompute

    torch.set_num_threads(1)
    random = np.random.default_rng(0)
    x = random.normal(size=(n, d)).astype(np.float32)
    edges = random.integers(0, n, (2, n * degree))
    config = LSGNNConfig(K=K, direction="out")
    if method == "sign":
        from torch_geometric.data import Data
        from torch_geometric.transforms import SIGN

        data, transform = Data(x=torch.from_numpy(x), edge_index=torch.from_numpy(edges)), SIGN(K)
        before, cpu, wall = peak_bytes(), time.process_time(), time.perf_counter()
        transform(data)
        result = (K + 1) * n * d * 4
    else:
        tiny = Graph(x=x[:10], edge_index=np.zeros((2, 1), dtype=np.int64))
        channels(precompute(tiny, config), config)  # compiles, if need be
        pre: Precomputed = precompute(Graph(x=x, edge_index=edges), config.replace(feature_norm="none"))
        before, cpu, wall = peak_bytes(), time.process_time(), time.perf_counter()
        if method == "lsgnn":
            result = channels(pre, config).nbytes
        else:
            powers = [pre.x]
            for _ in range(K):
                powers.append(pre.adj @ powers[-1])
            result = sum(p.nbytes for p in powers)
    seconds = {"cpu_seconds": time.process_time() - cpu, "wall_seconds": time.perf_counter() - wall}
    peak = peak_bytes()
    return {
        **seconds,
        "peak_bytes": peak,
        "result_bytes": result,
        "beyond_result_bytes": max(0, peak - before - result),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--degree", type=int, default=7)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--K", type=int, default=5)
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--json", help="file for the raw numbers")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(json.dumps(one_measurement(args.child, args.nodes[0], args.degree, args.features, args.K)))
        return
    from lsgnn.files import write_json  # not in the child, whose memory is measured

    results = []
    print(f"{'nodes':>9} {'edges':>9} {'method':>8} {'CPU s':>8} {'wall s':>8} {'result GB':>10} {'beyond it GB':>13}")
    for n in args.nodes:
        for method in args.methods:
            sizes = ["--nodes", n, "--degree", args.degree, "--features", args.features, "--K", args.K]
            command = [sys.executable, __file__, "--child", method, *map(str, sizes)]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            m = json.loads(out.splitlines()[-1])
            results.append({"method": method, "nodes": n, "edges": n * args.degree, **m})
            memory = f"{m['result_bytes'] / 1e9:10.2f} {m['beyond_result_bytes'] / 1e9:13.2f}"
            print(f"{n:9} {n * args.degree:9} {method:>8} {m['cpu_seconds']:8.2f} {m['wall_seconds']:8.2f} {memory}")
            if args.json:
                write_json(args.json, {"features": args.features, "K": args.K, "results": results})


if __name__ == "__main__":
    main()
