"""The demo's other process: trains the baselines on the bundled graphs, one after the other, and prints a line of JSON
for each graph as soon as it is done."""

from __future__ import annotations

import json
import sys


def main(graphs: list[str], models: list[str], epochs: int, patience: int, splits: int) -> None:
    import torch

    from lsgnn.benchmark.compare import compare
    from lsgnn.benchmark.evaluate import summary
    from lsgnn.datasets import load, preset
    from lsgnn.errors import InputError

    torch.set_num_threads(1)
    for name in graphs:
        changes = {"epochs": epochs, "patience": patience, "feature_norm": preset(name).config.feature_norm}
        try:
            found = compare(load(name), models, which=range(splits), changes=dict.fromkeys(models, changes))
        except InputError as error:
            sys.exit(f"error: {error}")
        cost = {row.model: (row.cpu_seconds or 0) / splits for row in found.rows}
        results = {row.model: {"test": summary(row.test), "cpu_seconds": cost[row.model]} for row in found.rows}
        sys.stdout.write(json.dumps(results) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1].split(","), sys.argv[2].split(","), *map(int, sys.argv[3:6]))
