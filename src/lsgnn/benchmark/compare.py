"""`compare`: a leader board of several models on one graph, every one on the same splits.

Peers keep the epoch of the best validation accuracy, LSGNN that of the lowest validation loss, as its authors do;
`select_by` of their settings changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsgnn import zoo
from lsgnn.benchmark.comparison import Comparison, Difference, Row
from lsgnn.benchmark.units import Unit, UnitStore
from lsgnn.config import TrainingConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.split_checks import check_split, default_splits, require_test_nodes, split_numbers
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.defaults import suited_to
from lsgnn.runs.probe import resolved
from lsgnn.train.environment import environment
from lsgnn.train.metrics import Metric, measure
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.presets import zoo_preset


def compare(
    graph: Any,
    models: Sequence[str],
    *,
    splits: Splits | None = None,
    which: Sequence[int] | None = None,
    metric: Metric = "accuracy",
    presets: bool = True,
    configs: Mapping[str, TrainingConfig] | None = None,
    store: Path | None = None,
    on_done: Callable[[Unit], None] | None = None,
) -> Comparison:
    """Trains every model on every split and reads the test nodes of each once, at the end.

    Args:
        graph: anything `lsgnn.as_graph` understands.
        models: names from `lsgnn.zoo.names()`.
        splits: splits to use instead of the graph's own (or, where it has none, of stratified ones).
        which: numbers of the splits to use; all by default.
        metric: what is scored; epochs are selected by validation loss or accuracy, as the settings say.
        presets: use the settings known for this dataset by its name, rather than each model's defaults.
        configs: settings of single models, before any preset.
        store: folder of finished units; a run that was killed goes on from there.
        on_done: called with each unit as soon as it is known.
    """
    graph = as_graph(graph)
    if not models:
        raise InputError(f"there is no model to compare: name some of {', '.join(zoo.names())}")
    splits = default_splits(graph, splits)
    numbers = tuple(split_numbers(splits, which))
    for number in numbers:
        check_split(graph, splits[number])
        require_test_nodes(graph, splits[number], number)
    settings = {
        name: (configs or {}).get(name)
        or suited_to(graph, zoo_preset(name, graph.name) if presets else zoo.get(name).config())
        for name in models
    }
    kept = UnitStore(store, graph)
    rows = []
    for name, config in settings.items():
        bench = _Bench(graph, name, config, metric)
        units = []
        for number in numbers:
            key = kept.key(name, splits[number], config, metric)
            unit = kept.get(key, name, number)
            if unit is None:
                unit = bench.unit(number, splits[number])
                kept.add(key, unit)
            units.append(unit)
            if on_done is not None:
                on_done(unit)
        rows.append(Row(name, zoo.get(name).title, tuple(units)))
    rows.sort(key=lambda row: -row.mean)
    best = rows[0]
    others = [replace(row, difference=Difference.between(row.test, best.test)) for row in rows[1:]]
    return Comparison(graph.name, metric, numbers, (best, *others))


class _Bench:
    """One model with its settings; prepares it when the first split needs it, and only then."""

    def __init__(self, graph: Graph, name: str, config: TrainingConfig, metric: Metric) -> None:
        self.graph, self.config, self.metric, self.model = graph, config, metric, zoo.get(name)
        self.prepared = Prepared(graph)

    def unit(self, number: int, split: Split) -> Unit:
        config, _ = resolved(self.prepared, self.model, self.config, [split])
        inputs = self.prepared(self.model, config)
        solution = self.model.solve(self.graph, split, config, inputs)
        trained, y = solution.trained, self.graph.y
        val, test = (
            100 * measure(self.metric, solution.logits[mask], y[mask])
            for mask in (split.val, split.test & self.graph.labelled)
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
        )
