"""How good is the answer on a graph that nobody has seen? Default `fit`, every model at its defaults, and `auto`.

    python -m benchmarks.best_answer default zoo            # all graphs, three splits each
    python -m benchmarks.best_answer auto --minutes 10      # hours: run it in the background, it goes on where it was;
                                                            # minutes of two cores each, so that a busy machine is fair
    python -m benchmarks.best_answer default --fresh        # again, where the code that decides has changed
    python -m benchmarks.best_answer table                  # what is known so far

Graphs come under a name that no preset knows, so that every model has what it would have on a graph of the user's own.
Each finished unit is one line in results/best_answer.jsonl; a unit that is there is not computed again. CPU seconds are
those of this process and its workers; models train on one thread each. Test nodes are read once per unit, and decide
nothing.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

import lsgnn
from benchmarks.best_answer_code import code_of
from benchmarks.best_answer_table import GRAPHS, table_of
from lsgnn import Graph, zoo
from lsgnn.auto.budget import Clock
from lsgnn.datasets import info, names
from lsgnn.errors import InputError, LSGNNWarning
from lsgnn.graph.split_checks import default_splits
from lsgnn.lines import LineFile, key_of
from lsgnn.train.environment import environment
from lsgnn.train.metrics import displayed, measure, positive_class
from lsgnn.zoo.prepared import Prepared

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "best_answer.jsonl"
SPLITS = 3
CLOCK: Clock = "cores"  # on a busy machine minutes by the wall mean nothing
WORKERS = 2
SLOW = {  # models that would take more than a quarter of an hour of a core there
    "geom_gcn": ("squirrel", "squirrel-filtered", "tolokers", "debian", "pubmed", "arxiv-2023", "arxiv-2023-year"),
    "wrgat": ("squirrel", "squirrel-filtered", "tolokers", "debian", "pubmed", "arxiv-2023", "arxiv-2023-year"),
    "h2gcn": ("squirrel", "tolokers", "arxiv-2023", "arxiv-2023-year"),
    "ggcn": ("squirrel", "tolokers", "pubmed", "debian", "arxiv-2023", "arxiv-2023-year"),
    "gcnii": ("tolokers", "arxiv-2023", "arxiv-2023-year"),
    "cpgnn": ("tolokers", "arxiv-2023", "arxiv-2023-year"),
    "gat": ("tolokers", "arxiv-2023", "arxiv-2023-year"),
    "fagcn": ("tolokers", "arxiv-2023", "arxiv-2023-year"),
    "mixhop": ("tolokers", "arxiv-2023", "arxiv-2023-year"),
}


def own_graph(name: str) -> tuple[Graph, str]:
    """The graph as if it were the user's own, and the metric it is scored by."""
    graph = lsgnn.load(name, Path(os.environ.get("LSGNN_DATA", HERE.parents[1] / "shared" / "data")))
    metric = info(name).metric if name in names() else "accuracy"
    return replace(graph, name=f"own-{name}", splits=default_splits(graph)), metric


def cpu_seconds() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def scores(graph: Graph, run: Any, metric: Any) -> dict[str, float]:
    y, positive = graph.y, positive_class(run.split.visible(graph.y))
    parts = {part: getattr(run.split, part) & graph.labelled for part in ("val", "test")}
    return {p: displayed(metric, measure(metric, run.logits[mask], y[mask], positive)) for p, mask in parts.items()}


def default_unit(graph: Graph, metric: Any, split: int) -> dict[str, Any]:
    begun = cpu_seconds()
    run = lsgnn.fit(graph, split=split, metric=metric)
    spent = cpu_seconds() - begun
    return scores(graph, run, metric) | {
        "cpu_seconds": spent,
        "config": run.config.to_dict(),
        "notes": [note for note in run.notes if "--model" in note or "chosen" in note],
    }


def zoo_unit(graph: Graph, metric: Any, split: int, model: str) -> dict[str, Any]:
    begun = cpu_seconds()
    if model == "lsgnn":  # as it is, without a probe
        run = lsgnn.fit(graph, lsgnn.LSGNNConfig(), split=split, metric=metric)
    else:
        run = lsgnn.fit(graph, model=model, split=split, metric=metric)
    return scores(graph, run, metric) | {"cpu_seconds": cpu_seconds() - begun, "config": run.config.to_dict()}


def auto_unit(graph: Graph, metric: Any, split: int, minutes: float, storage: Path | None) -> dict[str, Any]:
    from lsgnn.auto.best_answer import best_answer

    begun, start = time.process_time(), time.perf_counter()
    chosen = graph.splits[split]  # type: ignore[index]
    folder = storage / f"{graph.name}-{split}-{code_of('auto')}" if storage is not None else None
    found = best_answer(graph, chosen, metric, minutes=minutes, workers=WORKERS, clock=CLOCK, storage=folder)
    run = found.run(graph, chosen, metric, time.perf_counter() - start)
    prepared, alone = Prepared(graph), {}
    for part in found.singles:  # each model's best configuration, chosen on validation nodes
        inputs = prepared(part.entry, part.config)
        logits = part.entry.quick_logits(graph, inputs, part.config, part.trained.state_dict)
        mask = chosen.test & graph.labelled
        positive = positive_class(chosen.visible(graph.y))
        alone[part.model] = displayed(metric, measure(metric, logits[mask], graph.y[mask], positive))
    return scores(graph, run, metric) | {
        "minutes": minutes,
        "clock": CLOCK,
        "workers": WORKERS,
        "ended_early": found.ended_early,
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - begun + sum(row.seconds for row in found.board),
        "trials": found.trials,
        "single_tuned_test": alone,
        "board": [vars(row) for row in found.board],
    }


def units(what: str, models: Sequence[str], graphs: list[str], splits: list[int]) -> Iterator[tuple[str, str, int]]:
    """(model, graph, split) of all units, quick graphs first."""
    for name in graphs:
        for model in models if what == "zoo" else ("",):
            if name not in SLOW.get(model, ()):
                yield from ((model, name, split) for split in splits)


def run_units(
    what: str,
    models: Sequence[str],
    graphs: list[str],
    splits: list[int],
    minutes: float,
    fresh: bool = False,
    storage: Path | None = None,
) -> None:
    """Computes what is missing and, if `fresh`, what another version of the code made."""
    file, opened = LineFile(RESULTS), dict[str, tuple[Graph, Any]]()
    compute: dict[str, Callable[..., dict[str, Any]]] = {"default": default_unit, "zoo": zoo_unit, "auto": auto_unit}
    for model, name, split in units(what, models, graphs, splits):
        more: tuple[Any, ...] = {"zoo": (model,), "auto": (minutes,)}.get(what, ())
        key = key_of(what, name, split, *more)
        more += (storage,) if what == "auto" else ()
        code, known = code_of(what, model), file.lines().get(key)
        if known is not None and not (fresh and known.get("code") != code):
            continue
        if name not in opened:
            opened = {name: own_graph(name)}
        graph, metric = opened[name]
        if split >= len(graph.splits or ()):
            continue
        try:
            unit = compute[what](graph, metric, split, *more)
        except (InputError, MemoryError) as error:
            unit = {"error": str(error)}
        about = {"what": what, "graph": name, "split": split, "model": model, "metric": metric}
        file.add(key, about | unit | {"code": code, "environment": environment()})
        shown = {name: unit[name] for name in ("val", "test", "error", "cpu_seconds") if name in unit}
        print(what, name, model, split, shown, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=("default", "zoo", "auto", "table"))
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--splits", default=",".join(map(str, range(SPLITS))))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--models", default=",".join(zoo.names()), help="of the zoo")
    parser.add_argument("--storage", type=Path, help="auto: folder for journals, so that a killed unit goes on too")
    parser.add_argument("--fresh", action="store_true", help="again, what another version of the code made")
    given = parser.parse_args()
    warnings.simplefilter("ignore", LSGNNWarning)
    torch.set_num_threads(1)
    for what in given.what:
        if what == "table":
            print(table_of(RESULTS))
        else:
            graphs, splits = given.graphs.split(","), [int(s) for s in given.splits.split(",")]
            run_units(what, given.models.split(","), graphs, splits, given.minutes, given.fresh, given.storage)


if __name__ == "__main__":
    main()
