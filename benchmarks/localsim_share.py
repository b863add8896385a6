"""What does LocalSim's perceptron take of an epoch where every edge has a similarity of its own? CPU time, one thread.

    python benchmarks/localsim_share.py --json benchmarks/results/localsim_share.json

A generated blog graph: 5,196 nodes, 172,000 links each way, 8,189 counted words, 0.9 % of them set. The perceptron is
evaluated at every similarity, on the engine's grid, and on a grid of two points, which is as good as nothing; rounds
take turns, and the quickest counts.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch

from lsgnn.config import LSGNNConfig
from lsgnn.files import write_json
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import stratified_splits
from lsgnn.nn.model import LSGNN
from lsgnn.propagate.precompute import precompute
from lsgnn.train.environment import environment
from lsgnn.train.fused import train_cpu
from lsgnn.train.fused.similarity_table import POINTS, on_grid

NODES, LINKS, WORDS, SET, CLASSES = 5_196, 171_743, 8_189, 0.009, 6
FEW, MORE = 2, 42  # epochs


def blogs() -> Graph:
    random = np.random.default_rng(0)
    y = random.integers(0, CLASSES, NODES)
    x = sp.random_array((NODES, WORDS), density=SET, format="csr", random_state=random, dtype=np.float32)
    x.data[:] = random.integers(1, 6, x.nnz)
    links = random.integers(0, NODES, (2, LINKS))
    return Graph(x=x, edge_index=np.hstack([links, links[::-1]]), y=y, name="blogs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="file to write")
    args = parser.parse_args()
    torch.set_num_threads(1)
    graph, config = blogs(), LSGNNConfig(patience=0)
    split, pre = stratified_splits(graph.y, 1)[0], precompute(graph, config)
    torch.manual_seed(0)
    initial = LSGNN.from_config(config, graph.num_features, graph.num_classes, graph.num_nodes).state_dict()
    kinds = {
        "every similarity": (pre, True),
        f"{POINTS:,} points": (pre, False),
        "2 points": (replace(pre, similarity=on_grid(pre.similarity, 2)), True),
    }

    def seconds(kind: str, epochs: int) -> float:
        inputs, exact = kinds[kind]
        start = time.process_time()
        train_cpu(inputs, graph.y, split, config.replace(epochs=epochs), initial, threads=1, exact=exact)
        return time.process_time() - start

    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(args.rounds + 1):  # the first one may compile
        for kind in kinds:
            found[kind].append((seconds(kind, MORE) - seconds(kind, FEW)) / (MORE - FEW))
    epoch = {kind: min(rounds[1:]) for kind, rounds in found.items()}
    nothing = epoch["2 points"]
    results = [
        {"perceptron": kind, "epoch_cpu_seconds": value, "share": 1 - nothing / value} for kind, value in epoch.items()
    ]
    values = len(pre.similarity.values)
    print(f"{values:,} similarities", *(f"{r['perceptron']}: {r}" for r in results), sep="\n")
    if args.json:
        document = {"similarities": values, "rounds": args.rounds, "results": results, "environment": environment()}
        write_json(args.json, document)


if __name__ == "__main__":
    main()
