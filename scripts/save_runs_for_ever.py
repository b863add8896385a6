"""Small runs as this version saves them, for tests/fixtures/runs: every later version must read them and predict alike.

    python -m scripts.save_runs_for_ever        # once per version; never overwrites what an earlier one saved

Each folder holds a run, the predictions that it made then, and nothing that could be executed.
"""

from __future__ import annotations

from pathlib import Path

import lsgnn
from lsgnn import LSGNNConfig, fit, zoo
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.fitting import fit_stored
from tests.graphs import random_graph, rare, two_blocks

PLACE = Path(__file__).parents[1] / "tests" / "fixtures" / "runs"
SMALL = {"epochs": 3, "hidden_channels": 4}


def main() -> None:
    place = PLACE / lsgnn.__version__
    if place.exists():
        raise SystemExit(f"{place} exists: what a version saved stays as it is")
    place.mkdir(parents=True)
    config = LSGNNConfig(K=2, **SMALL)
    runs = {
        "lsgnn": fit(two_blocks(n=30), config, engine="torch"),
        "lsgnn-ensemble-directed-sparse": fit(
            random_graph(n=30, sparse=True), config.replace(direction="out", similarity="euclidean"), members=2
        ),
        "lsgnn-rare-with-threshold": fit(rare(n=60, share=0.2), config, metric="average_precision", threshold="f1"),
        "gcn": fit(two_blocks(n=30), zoo.get("gcn").config(**SMALL), model="gcn"),
        "mlp": fit(two_blocks(n=30), zoo.get("mlp").config(**SMALL), model="mlp"),
        "majority": fit(two_blocks(n=30), model="majority"),
    }
    for name, run in runs.items():
        run.save(place / name)
        run.predict().save(place / f"{name}.csv")
    store = precompute(two_blocks(n=30), place / "store", config)
    run_on_store = fit_stored(store, config)
    run_on_store.save(place / "stored-lsgnn")
    run_on_store.predict(store, place / "stored-lsgnn.csv")
    print(f"{len(runs) + 1} runs in {place}")


if __name__ == "__main__":
    main()
