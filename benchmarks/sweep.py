"""Are there cliffs? Generated graphs over n, E, d, density, classes and feature_norm, and what each stage costs.

    python benchmarks/sweep.py --json benchmarks/results/sweep.json

For each graph: CPU seconds of preparing, of 20 epochs by the fused engine, and of predicting all nodes, the shorter of
two times, and their cost per unit of size. Size counts what has to be touched at least once: stored features, edges
times hidden columns, rows.
A stage that costs over `--factor` times the median of its kind per unit is out of line, and named at the end; what is
over in a moment (`SMALLEST`) is not judged.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from lsgnn.config import LSGNNConfig
from lsgnn.files import write_json
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import stratified_splits
from lsgnn.propagate.precompute import precompute
from lsgnn.train.environment import environment
from lsgnn.train.fused import logits_cpu
from lsgnn.train.train_lsgnn import train

EDGE = 4  # what an edge itself costs while preparing (sorting, degrees), in stored features
SMALLEST = 0.02  # CPU seconds below which a stage is too short to be out of line


def made(n: int, E: int, d: int, density: float, C: int) -> Graph:
    """Random, with labels that show in the features; x is dense where its density is 1."""
    random = np.random.default_rng(0)
    y = random.integers(0, C, n)
    x: Any
    if density == 1:
        x = (random.normal(size=(C, d))[y] + random.normal(size=(n, d))).astype(np.float32)
    else:
        each = max(1, int(density * d))
        columns = (random.integers(0, d, (n, each)) + y[:, None] * (d // C)) % d
        x = sp.csr_array(
            (np.ones(n * each, np.float32), (np.repeat(np.arange(n), each), columns.ravel())), shape=(n, d)
        )
        x.sum_duplicates()
    return Graph(x=x, edge_index=random.integers(0, n, (2, E)), y=y, name="made")


def costs(graph: Graph, config: LSGNNConfig) -> dict[str, float]:
    """CPU seconds of each stage."""
    split, marks = stratified_splits(graph.y, 1)[0], [time.process_time()]
    pre = precompute(graph, config)
    marks.append(time.process_time())
    trained = train(pre, graph.y, graph.num_classes, split, config, engine="cpu", threads=1)
    marks.append(time.process_time())
    logits_cpu(pre, config, trained.state_dict, threads=1)
    marks.append(time.process_time())
    return dict(zip(("prepare", "train", "predict"), np.diff(marks).tolist(), strict=True))


def size_of(graph: Graph, config: LSGNNConfig, stage: str) -> float:
    """What has to be touched, in multiplications about."""
    stored = float(graph.x.nnz if sp.issparse(graph.x) else graph.x.size)
    n, E, K, z = graph.num_nodes, graph.edge_index.shape[1] + graph.num_nodes, config.K, config.hidden_channels
    if stage == "prepare":
        return stored + E * (stored / n + EDGE)
    each = (2 * K + 1) * z * stored + K * (K + 1) * z * 2 * E + n * (2 * K + 1) * z * (graph.num_classes + 8)
    return each * (config.epochs if stage == "train" else 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--factor", type=float, default=5.0)
    parser.add_argument("--quick", action="store_true", help="a tenth of the combinations")
    parser.add_argument("--json", type=Path, help="file to write")
    args = parser.parse_args()
    torch.set_num_threads(1)
    axes = ([1_000, 10_000], [3, 30], [16, 500, 4_000], [0.01, 0.3, 1.0], [2, 40], ["l2", "l1", "standard", "none"])
    combinations = [c for c in itertools.product(*axes) if c[0] * c[2] * c[3] <= 4e7]
    rows: list[dict[str, Any]] = []
    for n, degree, d, density, C, norm in combinations[:: 10 if args.quick else 1]:
        config = LSGNNConfig(feature_norm=norm, epochs=20)  # type: ignore[arg-type]
        graph = made(n, n * degree, d, density, C)
        first, second = costs(graph, config), costs(graph, config)  # the first may compile
        seconds = {stage: min(first[stage], second[stage]) for stage in first}
        per_unit = {stage: 1e9 * s / size_of(graph, config, stage) for stage, s in seconds.items()}
        shape = dict(n=n, E=n * degree, d=d, density=density, classes=C, feature_norm=norm)
        rows.append({**shape, "seconds": seconds, "ns_per_unit": per_unit})
        print(shape, {k: round(v, 3) for k, v in seconds.items()}, file=sys.stderr, flush=True)
    judged = {s: [row for row in rows if row["seconds"][s] > SMALLEST] for s in ("prepare", "train", "predict")}
    medians = {stage: statistics.median(row["ns_per_unit"][stage] for row in of) for stage, of in judged.items() if of}
    cliffs = [
        (row["ns_per_unit"][stage] / medians[stage], stage, {k: v for k, v in row.items() if not isinstance(v, dict)})
        for stage in medians
        for row in judged[stage]
        if row["ns_per_unit"][stage] > args.factor * medians[stage]
    ]
    for times, stage, shape in sorted(cliffs, key=lambda cliff: -cliff[0]):
        print(f"{stage}: {times:.1f} times the median per unit of size at {shape}")
    print(f"{len(cliffs)} of {sum(map(len, judged.values()))} stages are out of line")
    if args.json:
        write_json(
            args.json, {"factor": args.factor, "smallest": SMALLEST, "results": rows, "environment": environment()}
        )


if __name__ == "__main__":
    main()
