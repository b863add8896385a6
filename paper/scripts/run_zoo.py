"""Every model of the zoo on the datasets, with its preset; goes on where it stopped.

    LSGNN_DATA=../shared/data python -m paper.scripts.run_zoo --datasets texas,cornell --models all
    LSGNN_DATA=../shared/data python -m paper.scripts.run_zoo --minutes 15

Official splits. A model's first split tells what ten would cost: where that is more than --minutes of one core, three
are run. Where a single training run is that long, `LIGHTER` cuts its epochs. Where a published row is the better of two
variants, both are run, and the better one on validation counts. One line per split in
paper/results/zoo/<dataset>/<model>.jsonl, with the configuration used; the main table says where splits or epochs are
fewer.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import torch

from lsgnn import zoo
from lsgnn.benchmark.compare import compare
from lsgnn.benchmark.units import Unit
from lsgnn.datasets import info, load
from lsgnn.errors import LSGNNWarning
from lsgnn.zoo.presets import zoo_preset, zoo_variants
from paper.places import RESULTS
from paper.published import CORRECTED, nine

FEWER = 3

# what is cut where a single training run takes minutes: (model, dataset) → what differs from the preset
SHORT, SHORTER = {"epochs": 300, "patience": 50}, {"epochs": 150, "patience": 30}
LIGHTER: dict[tuple[str, str], dict[str, Any]] = {
    **{(model, "squirrel"): SHORT for model in ("gat", "h2gcn", "wrgat")},
    **{(model, "pubmed"): SHORT for model in ("gprgnn", "linkx", "acm_gcn", "ggcn")},
    **{(model, "pubmed"): SHORTER for model in ("gat", "mixhop", "geom_gcn", "h2gcn", "dagnn", "appnp")},
    **{(model, "pubmed"): SHORTER for model in ("cpgnn", "fsgnn", "dir_gnn")},
    **{("fagcn", dataset): SHORTER for dataset in ("squirrel", "pubmed")},
    ("gcnii", "citeseer"): SHORTER,
    ("gcnii", "pubmed"): {"num_layers": 16} | SHORTER,
    ("wrgat", "pubmed"): {"rings": 1} | SHORTER,
}


def run(dataset: str, model: str, variant: str, minutes: float, store: Path) -> str:
    """Trains one model on as many splits of one dataset as the time allows; a line that tells."""
    graph = load(dataset)
    config = zoo_preset(model, dataset, variant).replace(**LIGHTER.get((model, dataset), {}))
    # the rule of the settings, by which all that is stored was selected
    shared: Any = dict(metric=info(dataset).metric, keep_select_by=True, configs={model: config}, store=store)

    def units(count: int) -> tuple[Unit, ...]:
        return compare(graph, [model], which=range(count), **shared).rows[0].units

    (first,) = units(1)
    ten = first.prepare_seconds + 10 * first.seconds
    done = units(10 if ten <= 60 * minutes else FEWER)
    test = sum(unit.test for unit in done) / len(done)
    return f"{dataset} {model} {variant}: {test:.2f} on {len(done)} splits, {sum(u.seconds for u in done):.0f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join((*nine(), *CORRECTED)))
    parser.add_argument("--models", default="all")
    parser.add_argument("--minutes", type=float, default=15, help="of one core, for all splits of a model on a dataset")
    parser.add_argument("--store", type=Path, default=RESULTS / "zoo")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    warnings.simplefilter("ignore", LSGNNWarning)  # what is odd about a benchmark is known
    for dataset in args.datasets.split(","):
        for model in zoo.names() if args.models == "all" else args.models.split(","):
            for variant in zoo_variants(model):
                start = time.perf_counter()
                line = run(dataset, model, variant, args.minutes, args.store)
                print(f"{line} ({time.perf_counter() - start:.0f} s now)", flush=True)


if __name__ == "__main__":
    main()
