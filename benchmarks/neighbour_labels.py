"""What do the classes of training nodes nearby tell boosted trees? With and without them, on all graphs.

    LSGNN_DATA=../shared/data python -m benchmarks.neighbour_labels

The zoo's defaults, three splits each, every graph under a name that no preset knows. Each finished graph is one line in
results/neighbour_labels.jsonl, and is not computed again; test nodes are read once, and decide nothing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

import lsgnn
from benchmarks.best_answer import SPLITS, own_graph, scores
from benchmarks.best_answer_table import GRAPHS
from lsgnn.lines import LineFile, key_of
from lsgnn.train.environment import environment

RESULTS = Path(__file__).parent / "results" / "neighbour_labels.jsonl"
HOW = {"without": False, "with": True}


def table_of(results: Path) -> str:
    """A row per graph: validation and test scores, means over the splits."""
    head = ["graph", "metric", "splits", "validation", "with neighbours' labels", "test", "with neighbours' labels"]
    rows = [head, ["---"] * len(head)]
    for line in LineFile(results).lines().values():
        means = (f"{np.mean([unit[part] for unit in line[how]]):.2f}" for part in ("val", "test") for how in HOW)
        rows.append([line["graph"], line["metric"], str(len(line["without"])), *means])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def main() -> None:
    torch.set_num_threads(1)
    file = LineFile(RESULTS)
    for name in GRAPHS:
        key = key_of("neighbour labels", name)
        if key in file.lines():
            continue
        graph, metric = own_graph(name)
        splits = range(min(SPLITS, len(graph.splits or ())))
        line: dict[str, object] = {"graph": name, "metric": metric}
        for how, read in HOW.items():
            runs = [lsgnn.fit(graph, model="trees", split=s, metric=metric, neighbour_labels=read) for s in splits]
            line[how] = [scores(graph, run, metric) for run in runs]
        file.add(key, line | {"environment": environment()})
        print(name, line, flush=True)


if __name__ == "__main__":
    main()
