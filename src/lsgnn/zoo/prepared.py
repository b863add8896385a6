"""What models prepare of one graph, each thing once: shared by probes, splits, seeds and trials."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any

from lsgnn.config import TrainingConfig
from lsgnn.graph.graph import Graph
from lsgnn.zoo.protocol import Model


class Prepared:
    """Prepares a graph once per model and structural settings, whatever the seed, split or learning rate.

    Keeps the few most recent ones, because a search over directions and similarities comes back to them.
    """

    def __init__(self, graph: Graph, keep: int = 8) -> None:
        self.graph, self.keep = graph, keep
        self._kept: OrderedDict[Any, tuple[Any, float, float]] = OrderedDict()

    def __call__(self, model: Model[Any], config: TrainingConfig) -> Any:
        return self._get(model, config)[0]

    def seconds(self, model: Model[Any], config: TrainingConfig) -> float:
        """How long it took, the one time it was done."""
        return self._get(model, config)[1]

    def cpu_seconds(self, model: Model[Any], config: TrainingConfig) -> float:
        """The same in CPU seconds of the whole process."""
        return self._get(model, config)[2]

    def _get(self, model: Model[Any], config: TrainingConfig) -> tuple[Any, float, float]:
        key = (model.name, config.structure_features, config.input_settings)
        if key not in self._kept:
            start, cpu_start = time.perf_counter(), time.process_time()
            inputs = model.prepare(self.graph, config)
            self._kept[key] = inputs, time.perf_counter() - start, time.process_time() - cpu_start
            while len(self._kept) > self.keep:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]
