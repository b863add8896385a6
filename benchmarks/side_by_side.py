"""Would two training runs side by side, which read X and Â once for both, be cheaper than one after the other?

    LSGNN_DATA=../shared/data python benchmarks/side_by_side.py --json benchmarks/results/side_by_side.json

The narrow reduction works on tiles of 32 columns. Two runs of 16 hidden columns each would have 64 columns per hop that
meet the same entries of X and Â: in one tile of 64, which reads every index and value once, or in two of 32, which is
what two runs do one after the other. One run of 32 hidden columns has just these products, so that its epoch is timed
with either tile; four runs are one of 64 hidden columns, with tiles of up to 128. CPU seconds, rounds interleaved.
"""

from __future__ import annotations

import argparse
import sys
import time
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from train_cost import Contest

from lsgnn.config import LSGNNConfig
from lsgnn.files import write_json
from lsgnn.nn.model import LSGNN
from lsgnn.train.environment import environment
from lsgnn.train.fused import train_cpu
from lsgnn.train.fused.layout import Layout
from lsgnn.train.fused.vector import Width

FEW, EPOCHS = 1, 50
TILES = (32, 64, 128)


def run_seconds(contest: Contest, config: LSGNNConfig, tile: int, epochs: int) -> float:
    """CPU seconds of a training run, set-up included."""
    torch.manual_seed(0)
    graph = contest.graph
    initial = LSGNN.from_config(config, graph.num_features, graph.num_classes, graph.num_nodes).state_dict()
    with patch.object(Layout, "wide", property(lambda layout: Width(tile))):
        start = time.process_time()
        train_cpu(contest.pre, graph.y, contest.split, config.replace(epochs=epochs), initial, "narrow", threads=1)
        return time.process_time() - start


def measure(name: str, rounds: int) -> dict[str, Any]:
    """CPU seconds of an epoch by (runs side by side, tile): the shortest long run less the shortest short one."""
    contest = Contest(name)
    found: dict[str, dict[str, float]] = {}
    for runs in (2, 4):
        config = contest.config.replace(hidden_channels=16 * runs, patience=0)
        shortest = {(tile, epochs): inf for tile in TILES if tile <= 32 * runs for epochs in (FEW, FEW + EPOCHS)}
        for tile, _ in shortest:
            run_seconds(contest, config, tile, 1)  # compiles, if need be
        for round_ in range(rounds):
            for tile, epochs in shortest:
                shortest[tile, epochs] = min(shortest[tile, epochs], run_seconds(contest, config, tile, epochs))
            print(f"{name}: {runs} runs, round {round_ + 1}", file=sys.stderr)
        tiles = dict.fromkeys(tile for tile, _ in shortest)
        found[str(runs)] = {str(t): (shortest[t, FEW + EPOCHS] - shortest[t, FEW]) / EPOCHS for t in tiles}
    return {"dataset": name, "epoch_cpu_seconds": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=["cora", "citeseer"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="file to write")
    args = parser.parse_args()
    torch.set_num_threads(1)
    results: list[dict[str, Any]] = []
    for name in args.datasets:
        results.append(measure(name, args.rounds))
        for runs, by_tile in results[-1]["epoch_cpu_seconds"].items():
            gains = {tile: round(by_tile["32"] / seconds, 2) for tile, seconds in by_tile.items()}
            print(f"{name}: {runs} runs with tiles of so many columns are so many times as fast: {gains}", flush=True)
        if args.json:
            write_json(args.json, {"threads": 1, "results": results, "environment": environment()})


if __name__ == "__main__":
    main()
