"""How long until a validation accuracy is reached? CPU seconds on one thread, from features in memory.

    LSGNN_DATA=../shared/data python benchmarks/time_to_accuracy.py --json benchmarks/results/time_to_accuracy.json
    python benchmarks/time_to_accuracy.py --datasets texas cora --baselines sgc gcn --rounds 1

The target is the validation accuracy of a baseline's own best epoch. SGC, GCN and GAT are PyG's layers on dense
features (normalised adjacency and SGC's propagation cached), LINKX is the zoo's; each trains with its own preset, and
LSGNN with the released one, or where there is none with its default. Released configurations were chosen for accuracy,
their learning rates reach from 0.0005 to 0.05; so LSGNN runs a second time with what is quick, the same on every graph,
and a third time as tuned by us, if it was.

A baseline's time is that of the first epoch with its best accuracy. LSGNN is trained to the end once, outside of the
clock, to find its first epoch at the target; then it is trained again up to that epoch, and precompute, set-up and
these epochs are timed. Round r is split r with seed r (a graph with one split has one round); in a round every baseline
is followed by LSGNN. Kernels are compiled beforehand.

A baseline that is still at it after `--most-seconds` is stopped; the target is its best accuracy by then, and the line
says so. No round begins after `--minutes` on a dataset. The file is written after each dataset, and what is in it is
not measured again unless `--fresh`: a call that was stopped goes on where it was, and a new measurement begins with a
new file. All of it is some 40 minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path as File
from statistics import median
from typing import Any

import torch
from stored_rows import with_stored
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GATConv, GCNConv, SGConv
from train_cost import DATASETS

from lsgnn import zoo
from lsgnn.config import LSGNNConfig
from lsgnn.datasets import has_preset, load, preset
from lsgnn.files import write_json
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.train.environment import environment
from lsgnn.train.loop import train_torch
from lsgnn.train.seeded import seeded
from lsgnn.train.trained import Epoch, StopTraining
from lsgnn.zoo.inputs import NodeInputs, features, message_edges
from lsgnn.zoo.presets import zoo_preset

BASELINES = ["sgc", "gcn", "gat", "linkx"]
QUICK = {"K": 2, "lr": 0.1}
SLOW = ("gat",)  # minutes per round on the larger graphs


@dataclass(frozen=True)
class Limits:
    rounds: int
    slow_rounds: int
    most_seconds: float  # CPU seconds of a baseline's run
    minutes: float  # on a dataset, after which no round begins


@dataclass(frozen=True, kw_only=True)
class PyGInputs(NodeInputs):
    """Dense features and edges, as PyG's loaders give them."""

    edge_index: Tensor


class SGC(nn.Module):
    def __init__(self, d: int, C: int, config: Any) -> None:
        super().__init__()
        self.layer = SGConv(d, C, K=config.K, cached=True)

    def forward(self, inputs: PyGInputs) -> Tensor:
        return inputs.pick(self.layer(inputs.x, inputs.edge_index))


class TwoLayers(nn.Module):
    """GCN or GAT, as their authors have them."""

    def __init__(self, first: nn.Module, second: nn.Module, activation: Callable[[Tensor], Tensor], p: float) -> None:
        super().__init__()
        self.first, self.second, self.activation, self.p = first, second, activation, p

    def forward(self, inputs: PyGInputs) -> Tensor:
        h = self.activation(self.first(F.dropout(inputs.x, self.p, self.training), inputs.edge_index))
        return inputs.pick(self.second(F.dropout(h, self.p, self.training), inputs.edge_index))


def pyg_module(name: str, d: int, C: int, config: Any) -> nn.Module:
    z, p = config.hidden_channels, config.dropout
    if name == "sgc":
        return SGC(d, C, config)
    if name == "gcn":
        return TwoLayers(GCNConv(d, z, cached=True), GCNConv(z, C, cached=True), F.relu, p)
    first = GATConv(d, z, config.heads, dropout=p)
    return TwoLayers(first, GATConv(z * config.heads, C, config.out_heads, concat=False, dropout=p), F.elu, p)


def dense_inputs(graph: Graph, config: Any) -> PyGInputs:
    """In memory before the clock starts."""
    x = features(graph, config.feature_norm)
    dense = x if isinstance(x, Tensor) else x.forward.to_dense()
    return PyGInputs(x=dense, edge_index=message_edges(graph, config.direction))


def percent(line: Epoch) -> float:
    """Rounded, because torch's accuracy is a float32 and the engine's is not."""
    return round(100 * line["val_accuracy"], 4)


class Contest:
    """One graph: baselines, and LSGNN on their heels."""

    def __init__(self, name: str) -> None:
        self.name, self.graph, self.lsgnn = name, load(name), zoo.get("lsgnn")
        self._dense: dict[tuple[str, str], PyGInputs] = {}

    def baseline(self, name: str, split: Split, seed: int, most_seconds: float) -> dict[str, Any]:
        """Best validation accuracy in percent, CPU seconds to the first epoch that has it, whether it was stopped."""
        config, clock, lines = zoo_preset(name, self.name).replace(seed=seed), [0.0], list[tuple[float, float]]()

        def on_epoch(line: Epoch) -> None:
            lines.append((percent(line), time.process_time() - clock[0]))
            if lines[-1][1] > most_seconds:
                raise StopTraining

        if name == "linkx":
            model, clock[0] = zoo.get(name), time.process_time()
            model.train(self.graph, model.prepare(self.graph, config), split, config, on_epoch=on_epoch)
        else:
            key = (config.feature_norm, config.direction)
            inputs = self._dense.setdefault(key, dense_inputs(self.graph, config))
            clock[0] = time.process_time()
            with seeded(seed):
                module = pyg_module(name, self.graph.num_features, self.graph.num_classes, config)
                train_torch(module, inputs, split.visible(self.graph.y), split, config, on_epoch)
        best = max(accuracy for accuracy, _ in lines)
        seconds = next(seconds for accuracy, seconds in lines if accuracy == best)
        return {"target": best, "seconds": seconds, "stopped": lines[-1][1] > most_seconds}

    def configs(self, seed: int) -> dict[str, LSGNNConfig]:
        """LSGNN's own, the quick one and, if there is one, that tuned by us."""
        own: LSGNNConfig = zoo_preset("lsgnn", self.name).replace(seed=seed, patience=0)
        found = {"lsgnn": own, "lsgnn_quick": LSGNNConfig(direction=own.direction, seed=seed).replace(**QUICK)}
        if has_preset(self.name, "tuned"):
            found["lsgnn_tuned"] = preset(self.name, "tuned").config.replace(seed=seed, patience=0)
        return found

    def train(self, split: Split, config: LSGNNConfig) -> list[Epoch]:
        """LSGNN from the graph on; the history."""
        inputs = self.lsgnn.prepare(self.graph, config)
        return self.lsgnn.train(self.graph, inputs, split, config, threads=1).history  # type: ignore[call-arg]

    def to_target(self, target: float, history: list[Epoch], split: Split, config: LSGNNConfig) -> dict[str, Any]:
        """LSGNN's first epoch at the target and CPU seconds up to it; None if it never gets there."""
        epoch = next((line["epoch"] for line in history if percent(line) >= target), None)
        if epoch is None:
            return {"epoch": None, "seconds": None}
        clock = time.process_time()
        self.train(split, config.replace(epochs=epoch))
        return {"epoch": epoch, "seconds": time.process_time() - clock}


def measure(name: str, baselines: list[str], limits: Limits) -> dict[str, Any]:
    """Per baseline a line for each round: target, its seconds, epoch and seconds of each of ours."""
    contest, begin = Contest(name), time.perf_counter()
    splits = contest.graph.splits
    assert splits is not None, f"{name} came without splits: point LSGNN_DATA to a folder of .npz files that have them"
    found: dict[str, list[dict[str, Any]]] = {baseline: [] for baseline in baselines}
    for round_ in range(min(limits.rounds, len(splits))):
        if round_ > 0 and time.perf_counter() - begin > 60 * limits.minutes:
            break
        split, configs = splits[round_], contest.configs(round_)
        histories = {ours: contest.train(split, config) for ours, config in configs.items()}  # compiles, if need be
        for baseline in baselines:
            if baseline in SLOW and round_ >= limits.slow_rounds:
                continue
            line = contest.baseline(baseline, split, round_, limits.most_seconds)
            for ours, config in configs.items():
                line[ours] = contest.to_target(line["target"], histories[ours], split, config)
            found[baseline].append(line)
            print(f"{name}: round {round_ + 1}, {baseline}: {line}", file=sys.stderr, flush=True)
    return {"dataset": name, "baselines": found}


def missing(file: File | None, dataset: str, baselines: list[str]) -> list[str]:
    """The baselines that the file has no line of."""
    rows = json.loads(file.read_text())["results"] if file is not None and file.exists() else []
    held: dict[str, Any] = next((row["baselines"] for row in rows if row["dataset"] == dataset), {})
    return [baseline for baseline in baselines if not held.get(baseline)]


def row(entry: dict[str, Any]) -> str:
    """Medians: a baseline's seconds, and LSGNN's to the same accuracy, with its own configuration and the quick one."""
    cells = []
    for baseline, lines in entry["baselines"].items():
        ours = [
            f"{name} {median(inf if line[name]['seconds'] is None else line[name]['seconds'] for line in lines):.2f} s"
            for name in lines[0]
            if name.startswith("lsgnn")
        ]
        cells.append(f"{baseline} {median(line['seconds'] for line in lines):.2f} s, {', '.join(ours)}")
    return f"{entry['dataset']:12} " + " | ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=[*DATASETS, "arxiv-2023"])
    parser.add_argument("--baselines", nargs="+", default=BASELINES, choices=BASELINES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow-rounds", type=int, default=1, help=f"rounds of {', '.join(SLOW)}")
    parser.add_argument("--most-seconds", type=float, default=60, help="CPU seconds after which a baseline is stopped")
    parser.add_argument("--minutes", type=float, default=3, help="on a dataset, after which no round begins")
    parser.add_argument("--json", type=File, help="file to write; what is left out stays in it")
    parser.add_argument("--fresh", action="store_true", help="measure again what the file has")
    args = parser.parse_args()
    torch.set_num_threads(1)
    limits = Limits(args.rounds, args.slow_rounds, args.most_seconds, args.minutes)
    results: list[dict[str, Any]] = []
    for name in args.datasets:
        baselines = args.baselines if args.fresh else missing(args.json, name, args.baselines)
        if not baselines:
            continue
        results.append(measure(name, baselines, limits))
        print(row(results[-1]), flush=True)
        if args.json:
            rows = with_stored(args.json, results[-1:], "baselines")
            write_json(args.json, {"threads": 1} | asdict(limits) | {"results": rows, "environment": environment()})


if __name__ == "__main__":
    main()
