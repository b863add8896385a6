"""One model of a comparison: trained on a split, scored on its validation and test nodes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from lsgnn import zoo
from lsgnn.benchmark.model_code import model_code
from lsgnn.benchmark.recall_by_class import recall_by_class
from lsgnn.benchmark.units import Unit
from lsgnn.config import TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.runs.probe import resolved
from lsgnn.train.environment import environment
from lsgnn.train.metrics import Metric, displayed, measure, positive_class
from lsgnn.zoo.prepared import Prepared


class Bench:
    """One model; prepares it when the first split needs it, and only then."""

    def __init__(self, graph: Graph, name: str, metric: Metric) -> None:
        self.graph, self.metric, self.model = graph, metric, zoo.get(name)
        self.prepared = Prepared(graph)

    def unit(self, number: int, split: Split, config: TrainingConfig) -> Unit:
        with _one_thread():
            config, _ = resolved(self.prepared, self.model, config, [split])
            inputs = self.prepared(self.model, config)
            start = time.process_time()
            solution = self.model.solve(self.graph, split, config, inputs)
            cpu_seconds = time.process_time() - start
        trained, y = solution.trained, self.graph.y
        scored, positive = split.test & self.graph.labelled, positive_class(y[split.train | split.val])
        val, test = (
            displayed(self.metric, measure(self.metric, solution.logits[mask], y[mask], positive))
            for mask in (split.val, scored)
        )
        return Unit(
            dataset=self.graph.name,
            model=self.model.name,
            split=number,
            metric=self.metric,
            val=val,
            test=test,
            best_epoch=trained.best_epoch,
            epochs=len(trained.history),
            seconds=solution.seconds,
            prepare_seconds=self.prepared.seconds(self.model, config),
            num_parameters=solution.num_parameters,
            config=config.to_dict(),
            environment=environment(),
            cpu_seconds=cpu_seconds,
            prepare_cpu_seconds=self.prepared.cpu_seconds(self.model, config),
            recall=recall_by_class(solution.logits[scored], y[scored], self.graph.num_classes),
            code=model_code(self.model.name),
        )


def bench_of(model: str, graph: Graph, metric: Metric, last: Bench | None) -> Bench:
    """The last one if it is of this model, with what it has prepared; else a new one."""
    return last if last is not None and last.model.name == model else Bench(graph, model, metric)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Inside, torch computes with one thread: those that wait for others would count as work."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
