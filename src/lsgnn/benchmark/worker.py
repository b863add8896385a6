"""Units of a comparison, computed here or by several processes: `python -m lsgnn.benchmark.worker FOLDER`.

The folder holds `graph.npz`, with the compared splits, and `about.json`. A process computes units one after the other
(see `lsgnn.workers`); what it has prepared of a model serves the next unit if that is of the same model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lsgnn.benchmark.units import Unit
from lsgnn.config import TrainingConfig
from lsgnn.errors import InputError
from lsgnn.files import write_json
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Splits
from lsgnn.train.metrics import Metric
from lsgnn.workers import Workers, answer_tasks

GRAPH, ABOUT = "graph.npz", "about.json"


@dataclass(frozen=True)
class Wanted:
    """A unit that is not known yet: this model with this configuration on the split of this number."""

    model: str
    split: int
    config: TrainingConfig

    @property
    def place(self) -> tuple[str, int]:
        return self.model, self.split


def computed(
    wanted: Sequence[Wanted], graph: Graph, splits: Splits, metric: Metric, workers: int = 1
) -> Iterator[Unit]:
    """The units as they are done, by so many processes; where one is enough, by this one."""
    if min(workers, len(wanted)) > 1:
        yield from _by_processes(wanted, graph, splits, metric, min(workers, len(wanted)))
        return
    from lsgnn.benchmark.bench import bench_of

    bench = None
    for unit in wanted:
        bench = bench_of(unit.model, graph, metric, bench)
        yield bench.unit(unit.split, splits[unit.split], unit.config)


def _by_processes(
    wanted: Sequence[Wanted], graph: Graph, splits: Splits, metric: Metric, workers: int
) -> Iterator[Unit]:
    with TemporaryDirectory(prefix="lsgnn-compare-") as temporary:
        folder = Path(temporary)
        replace(graph, splits=splits, name="graph", notes=()).save(folder / GRAPH)
        write_json(folder / ABOUT, {"metric": metric})
        waiting = {f"{unit.model} on split {unit.split}": unit for unit in wanted}
        with Workers("lsgnn.benchmark.worker", folder, workers, _unit, _died) as pool:
            for key, unit in waiting.items():
                pool.submit(key, {"model": unit.model, "split": unit.split, "config": unit.config.to_dict()})
            while waiting:
                key = pool.wait_for_any(waiting)
                del waiting[key]
                answer = pool.wait(key)
                if isinstance(answer, str):
                    raise InputError(answer)
                yield replace(answer, dataset=graph.name)


def _unit(answer: dict[str, Any]) -> Unit | str:
    """The unit of an answer, or the reason why there is none."""
    if "error" in answer:
        return str(answer["error"])
    unit = Unit.of(answer)
    if unit is None:
        raise ValueError(f"{answer} is no unit")
    return unit


def _died(key: str, reason: str) -> Unit | str:
    return f"{key}: its process died ({reason}), perhaps for want of memory: compare with one job at a time"


def serve(folder: Path, tasks: Iterable[str], answer: Any) -> None:
    """Computes the units as they are asked for; `answer` gets a line for each."""
    from lsgnn import zoo
    from lsgnn.benchmark.bench import bench_of

    metric = json.loads((folder / ABOUT).read_text("utf-8"))["metric"]
    graph = Graph.load(folder / GRAPH)
    assert graph.splits is not None
    bench = None
    for line in tasks:
        task = json.loads(line)
        model, number = zoo.get(task["model"]), task["split"]
        try:
            bench = bench_of(model.name, graph, metric, bench)
            unit = bench.unit(number, graph.splits[number], model.config.from_dict(task["config"]))
            answer.write(json.dumps(asdict(unit)) + "\n")
        except (InputError, MemoryError) as error:
            answer.write(json.dumps({"error": str(error) or type(error).__name__}) + "\n")
        answer.flush()


if __name__ == "__main__":
    answer_tasks(serve)
