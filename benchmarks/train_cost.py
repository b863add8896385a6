"""What does training cost? The paper's table: 200 epochs, each with an evaluation, on one CPU thread.

    LSGNN_DATA=../shared/data python benchmarks/train_cost.py --rounds 3 --json benchmarks/results/train_cost.json
    python benchmarks/train_cost.py --datasets texas cora --methods lsgnn sgc --epochs 50

Rounds are interleaved in one process (every method once, then again), the table shows medians of CPU time; the JSON
document holds every round's CPU and wall time. Features are dense tensors for PyG's models, as its loaders give them.
`synthetic-arxiv` has ogbn-arxiv's size (169,343 nodes, 1.17 M edges, 128 dense features, 40 classes); there the number
of epochs is `--large-epochs`, and nothing is extrapolated.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from stored_rows import with_stored
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GAT, GCN, SGConv

from lsgnn.config import LSGNNConfig
from lsgnn.datasets import has_preset, load, preset, preset_splits
from lsgnn.files import write_json
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split, stratified_splits
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import Rows, make_rows
from lsgnn.propagate.filters import adjacency
from lsgnn.propagate.precompute import Precomputed, channels, precompute
from lsgnn.propagate.similarity import edge_similarity
from lsgnn.train.environment import environment
from lsgnn.train.fused import train_cpu
from lsgnn.train.fused.task import Task
from lsgnn.train.loop import train_torch

DATASETS = ["cora", "citeseer", "pubmed", "chameleon", "squirrel", "actor", "cornell", "texas", "wisconsin"]
LARGE = "synthetic-arxiv"
SLOW = ("lsgnn-as-released", "lsgnn-torch", "gat")  # minutes per round on the larger sets
Run = Callable[[int], None]  # trains for so many epochs


class AsReleased(nn.Module):
    """LSGNN as the released code computes it: the dense stack of all rows, the perceptron on every edge."""

    def __init__(self, model: LSGNN, stack: Tensor, edges: Tensor, similarity: Tensor) -> None:
        super().__init__()
        self.model, self.stack = model, stack
        self.target, self.pairs = edges, torch.stack([similarity, similarity**2], dim=1)
        self.degree = torch.zeros(stack.shape[1]).index_add_(0, edges, torch.ones(len(edges))).clamp(min=1)

    def forward(self) -> Tensor:
        model, n, K = self.model, self.stack.shape[1], self.model.K
        h = F.relu(F.normalize(torch.bmm(self.stack, model.reduce.weights[0]), dim=-1))
        per_edge = model.fusion.weights.localsim.mlp(self.pairs).squeeze(-1)
        phi = torch.zeros(n).index_add(0, self.target, per_edge) / self.degree
        alpha = model.fusion.weights.mlp(torch.stack([phi, phi**2], dim=1)).view(n, K, 3, 1)
        Z = alpha[:, :, 0] * h[:1].transpose(0, 1) + alpha[:, :, 1] * h[1 : K + 1].transpose(0, 1)
        Z = Z + alpha[:, :, 2] * h[K + 1 :].transpose(0, 1)
        blocks = torch.cat([h[:1].transpose(0, 1), Z], dim=1)
        if model.out_norm:
            blocks = F.normalize(blocks, dim=-1)
        return model.head(F.dropout(blocks.flatten(1), model.dropout, self.training))


def full_batch(model: nn.Module, forward: Callable[[], Tensor], y: Tensor, split: Split, config: LSGNNConfig) -> Run:
    """The usual loop: a step on all rows, then an evaluation on all rows."""
    train, val = torch.from_numpy(split.train), torch.from_numpy(split.val)

    def run(epochs: int) -> None:
        optimizer = torch.optim.Adam(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
        for _ in range(epochs):
            model.train()
            optimizer.zero_grad()
            F.cross_entropy(forward()[train], y[train]).backward()
            optimizer.step()
            model.eval()
            with torch.no_grad():
                logits = forward()
                float(F.cross_entropy(logits[val], y[val]))
                float((logits[val].argmax(1) == y[val]).float().mean())

    return run


class Contest:
    """One graph, and a training by each method. What has no parameters is computed once, outside of the clock, for all
    alike: LSGNN's similarities and SGC's cached propagation. The CPU engine sets up its operands (for dense features
    that is its propagation) inside the clock; what that takes is also stored by itself."""

    def __init__(self, name: str) -> None:
        self.graph, self.config, self.split = large_graph() if name == LARGE else small_graph(name)
        clock = time.process_time()
        self.pre: Precomputed = precompute(self.graph, self.config)
        self.precompute_seconds = time.process_time() - clock
        self.y = torch.from_numpy(np.maximum(self.graph.y, 0))
        self.makers: dict[str, Callable[[], Run]] = {
            "lsgnn": self.lsgnn,
            "lsgnn-torch": self.lsgnn_torch,
            "lsgnn-as-released": self.lsgnn_as_released,
            "sgc": self.sgc,
            "gcn": self.gcn,
            "gat": self.gat,
        }

    def model(self) -> LSGNN:
        torch.manual_seed(0)
        return LSGNN.from_config(self.config, self.graph.num_features, self.graph.num_classes, self.graph.num_nodes)

    def lsgnn(self) -> Run:
        initial = self.model().state_dict()
        args = (self.pre, self.graph.y, self.split)
        train_cpu(*args, self.config.replace(epochs=1), initial)  # compiles, if need be
        return lambda epochs: void(train_cpu(*args, self.config.replace(epochs=epochs), initial))

    def setup_seconds(self) -> float:
        """What `lsgnn` takes before its first epoch."""
        clock = time.process_time()
        Task.to_train(self.pre, self.graph.y, self.split, self.config, self.model().state_dict(), threads=1)
        return time.process_time() - clock

    def lsgnn_torch(self) -> Run:
        rows, model = make_rows(self.pre, self.config), self.model()
        args = (model, rows, self.graph.y, self.split)
        return lambda epochs: void(train_torch(*args, self.config.replace(epochs=epochs)))

    def lsgnn_as_released(self) -> Run:
        c = self.config
        direction = c.similarity_direction
        neighbours = adjacency(self.graph, direction, c.localsim_self_loops)
        ego = np.repeat(np.arange(self.graph.num_nodes), np.diff(neighbours.indptr))
        pairs = np.stack([ego, neighbours.indices])
        similarity = torch.from_numpy(edge_similarity(self.pre.x, pairs, c.similarity, c.euclid_sign))
        stack = torch.from_numpy(channels(self.pre, c))
        model = AsReleased(self.model(), stack, torch.from_numpy(ego), similarity)
        check_equal(model, make_rows(self.pre, c))
        return full_batch(model, model, self.y, self.split, self.config)

    def dense_x(self) -> Tensor:
        x = self.graph.x
        return torch.from_numpy(np.asarray(x if isinstance(x, np.ndarray) else x.toarray(), dtype=np.float32))

    def sgc(self) -> Run:
        layer = SGConv(self.graph.num_features, self.graph.num_classes, K=5, cached=True)
        run = self._pyg(layer)
        run(1)  # fills its cache
        return run

    def gcn(self) -> Run:
        return self._pyg(GCN(self.graph.num_features, 16, 5, self.graph.num_classes, dropout=0.5))

    def gat(self) -> Run:
        return self._pyg(GAT(self.graph.num_features, 64, 5, self.graph.num_classes, dropout=0.5, heads=8))

    def _pyg(self, model: nn.Module) -> Run:
        x, edge_index = self.dense_x(), torch.from_numpy(np.asarray(self.graph.edge_index, dtype=np.int64))
        return full_batch(model, lambda: model(x, edge_index), self.y, self.split, self.config)


@torch.no_grad()
def check_equal(released: AsReleased, rows: Rows) -> None:
    """The baseline must compute what LSGNN computes, or its time means nothing."""
    difference = (released.eval()() - released.model(rows)).abs().max()
    if not difference < 1e-3:
        raise SystemExit(f"the baseline's logits differ from LSGNN's by {difference}")


def void(_: object) -> None:
    return None


def small_graph(name: str) -> tuple[Graph, LSGNNConfig, Split]:
    """The dataset with the authors' released settings, or the default ones where they have none."""
    graph, chosen = load(name), preset(name, "released" if has_preset(name, "released") else "default")
    splits = preset_splits(graph, chosen) if graph.splits is None else graph.splits
    return graph, chosen.config, splits[0]


def large_graph() -> tuple[Graph, LSGNNConfig, Split]:
    """Random, of ogbn-arxiv's size; dense features, so that the dense reduction is used."""
    random, n, E, d, C = np.random.default_rng(0), 169_343, 1_166_243, 128, 40
    y = random.integers(0, C, n)
    x = random.normal(size=(C, d))[y] + random.normal(size=(n, d))
    graph = Graph(x=x.astype(np.float32), edge_index=random.integers(0, n, (2, E)), y=y, name=LARGE)
    return graph, LSGNNConfig(direction="undirected", out_norm=False), stratified_splits(y, 1, 0.54, 0.18)[0]


def measure(name: str, methods: list[str], epochs: int, rounds: int, slow_rounds: int) -> dict[str, object]:
    """CPU and wall seconds of each round, rounds interleaved; slow methods sit out the later ones."""
    contest = Contest(name)
    runs = {method: contest.makers[method]() for method in methods}
    seconds: dict[str, list[tuple[float, float]]] = {method: [] for method in methods}
    for round_ in range(rounds):
        for method, run in runs.items():
            if method in SLOW and round_ >= slow_rounds:
                continue
            cpu, wall = time.process_time(), time.perf_counter()
            run(epochs)
            seconds[method].append((time.process_time() - cpu, time.perf_counter() - wall))
            print(f"{name}: round {round_ + 1}, {method}: {seconds[method][-1][0]:.2f} s CPU", file=sys.stderr)
    before = {"precompute_cpu_seconds": contest.precompute_seconds, "setup_cpu_seconds": contest.setup_seconds()}
    return {"dataset": name, "epochs": epochs, **before, "seconds": seconds}


def table(results: list[dict[str, object]], methods: list[str]) -> str:
    """Medians of CPU seconds, and how many times lsgnn's that is."""
    lines = [f"{'dataset':18}{'epochs':>7}" + "".join(f"{m:>20}" for m in methods)]
    for result in results:
        medians = {m: statistics.median(cpu for cpu, _ in result["seconds"][m]) for m in methods}  # type: ignore[index]
        ours = medians.get("lsgnn")
        cells = (f"{s:9.2f} s {f'({s / ours:.1f}×)' if ours else '':>8}" for s in medians.values())
        lines.append(f"{result['dataset']:18}{result['epochs']:>7}" + "".join(f"{cell:>20}" for cell in cells))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=[*DATASETS, LARGE], choices=[*DATASETS, LARGE])
    methods = ["lsgnn", "lsgnn-torch", "lsgnn-as-released", "sgc", "gcn", "gat"]
    parser.add_argument("--methods", nargs="+", default=methods, choices=methods)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--large-epochs", type=int, default=20, help=f"epochs on {LARGE}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow-rounds", type=int, default=1, help=f"rounds of {', '.join(SLOW)}")
    parser.add_argument("--json", type=Path, help="file for the raw numbers; datasets and methods left out stay in it")
    args = parser.parse_args()
    torch.set_num_threads(1)
    results = []
    for name in args.datasets:
        epochs = args.large_epochs if name == LARGE else args.epochs
        results.append(measure(name, args.methods, epochs, args.rounds, args.slow_rounds))
        if args.json:
            document = {
                "torch": torch.__version__,
                "threads": 1,
                "rounds": args.rounds,
                "slow_rounds": args.slow_rounds,
            }
            rows = with_stored(args.json, results)
            write_json(args.json, document | {"results": rows, "environment": environment()})
    print(f"CPU seconds, median of {args.rounds} interleaved rounds, one thread; in brackets: times lsgnn's")
    print(table(results, args.methods))


if __name__ == "__main__":
    main()
