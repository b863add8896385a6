"""Every model of the zoo on the datasets, with its preset; goes on where it stopped.

    LSGNN_DATA=../shared/data python -m paper.scripts.run_zoo --datasets texas,cornell --models all
    LSGNN_DATA=../shared/data python -m paper.scripts.run_zoo --minutes 15
    LSGNN_DATA=../shared/data python -m paper.scripts.run_zoo --models sgc,asgc --fresh

Official splits. A model's first split tells what ten would cost: where that is more than --minutes of one core, three
are run. Where a single training run is that long, `LIGHTER` cuts its epochs. Where a published row is the better of two
variants, both are run, and the better one on validation counts. One line per split in
paper/results/zoo/<dataset>/<model>.jsonl, with the configuration used; the main table says where splits or epochs are
fewer.

With --fresh, models whose stored units were made by another version of their code (or before that was kept) are run
again on every dataset. New units are collected in paper/results/zoo-fresh/. When those of a model on a dataset are
finished they take the place of the old ones, which go to paper/results/zoo-replaced/. A run that is killed goes on, and
until the exchange the old units are where they were.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from lsgnn import zoo
from lsgnn.benchmark.compare import compare
from lsgnn.benchmark.model_code import model_code
from lsgnn.benchmark.units import Unit
from lsgnn.datasets import info, load
from lsgnn.errors import InputError, LSGNNWarning
from lsgnn.files import make_folder
from lsgnn.lines import LineFile
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


def run(dataset: str, model: str, minutes: float, store: Path) -> Iterator[str]:
    """Trains every variant of a model on as many splits of a dataset as the time allows; a line for each."""
    graph = load(dataset)
    for variant in zoo_variants(model):
        config = zoo_preset(model, dataset, variant).replace(**LIGHTER.get((model, dataset), {}))
        # the rule of the settings, by which all that is stored was selected
        shared: Any = dict(metric=info(dataset).metric, keep_select_by=True, configs={model: config}, store=store)
        (first,) = compare(graph, [model], which=[0], **shared).rows[0].units
        count = min(10 if ten_splits(first) <= 60 * minutes else FEWER, len(graph.splits or ()))
        done = compare(graph, [model], which=range(count), **shared).rows[0].units
        test = sum(unit.test for unit in done) / len(done)
        spent = sum(unit.cpu_seconds or unit.seconds for unit in done)
        yield f"{dataset} {model} {variant}: {test:.2f} on {len(done)} splits, {spent:.0f} s of a core"


def ten_splits(unit: Unit) -> float:
    """Seconds of a core for ten splits like this one; of a clock where the unit was stored before cores were asked."""
    if unit.cpu_seconds is None or unit.prepare_cpu_seconds is None:
        return unit.prepare_seconds + 10 * unit.seconds
    return unit.prepare_cpu_seconds + 10 * unit.cpu_seconds


def run_fresh(dataset: str, model: str, minutes: float, store: Path) -> Iterator[str]:
    """The same by the model's present code: what another version made stays where it is until all is computed anew."""
    name = Path(dataset) / f"{model}.jsonl"
    new, replaced = (store.with_name(f"{store.name}-{what}") for what in ("fresh", "replaced"))
    if made_by(store / name) <= {model_code(model)}:
        yield from run(dataset, model, minutes, store)
        return
    if not made_by(new / name) <= {model_code(model)}:  # stopped, and then the code was changed once more
        keep(new / name, replaced / name)
        (new / name).unlink()
    yield from run(dataset, model, minutes, new)
    keep(store / name, replaced / name)
    make_folder((store / name).parent)
    os.replace(new / name, store / name)


def made_by(file: Path) -> set[str]:
    """The versions of the model in a file of units; empty where there is none."""
    return {str(line.get("code", "")) for line in LineFile(file).lines().values()}


def keep(file: Path, place: Path) -> None:
    """Adds the lines of a file to those of another place, unless they are there."""
    kept = LineFile(place)
    for key, line in LineFile(file).lines().items():
        if kept.lines().get(key) != line:
            kept.add(key, line)


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--datasets", default=",".join((*nine(), *CORRECTED)))
    found.add_argument("--models", default="all")
    found.add_argument("--minutes", type=float, default=15, help="of one core, for all splits of a model on a dataset")
    found.add_argument("--store", type=Path, default=RESULTS / "zoo")
    found.add_argument("--fresh", action="store_true", help="run again what another version of a model made")
    return found


def main() -> int:
    """The exit code: 1 if a model could not be run on a dataset."""
    args, failed = parser().parse_args(), False
    models = zoo.names() if args.models == "all" else [zoo.get(name).name for name in args.models.split(",")]
    datasets = [
        info(name).name for name in args.datasets.split(",")
    ]  # a misspelt name is an error before anything runs
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    warnings.simplefilter("ignore", LSGNNWarning)  # what is odd about a benchmark is known
    for dataset, model in itertools.product(datasets, models):
        start = time.perf_counter()
        try:
            for line in (run_fresh if args.fresh else run)(dataset, model, args.minutes, args.store):
                print(f"{line} ({time.perf_counter() - start:.0f} s now)", flush=True)
        except (InputError, MemoryError) as error:  # the others go on
            print(f"{dataset} {model}: {error}", flush=True)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
