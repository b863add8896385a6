"""`compare`: a leader board of several models on one graph, every one on the same splits and equally scaled features.

Where accuracy is scored, baselines keep the epoch of the best validation accuracy and LSGNN that of the lowest
validation loss, as its authors do; other metrics select the epochs of all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lsgnn import zoo
from lsgnn.benchmark.comparison import Comparison, Row
from lsgnn.benchmark.configurations import changes_for_fit, configurations
from lsgnn.benchmark.model_code import model_code
from lsgnn.benchmark.recall_by_class import recall_by_class
from lsgnn.benchmark.units import Unit, UnitStore
from lsgnn.config import TrainingConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.split_checks import check_split, default_splits, require_test_nodes, split_numbers
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.defaults import chosen_metric
from lsgnn.runs.probe import resolved
from lsgnn.train.environment import environment
from lsgnn.train.metrics import Metric, displayed, measure, positive_class
from lsgnn.zoo.prepared import Prepared

OnModelTrial = Callable[[str, Any], None]  # a model's name, its study


def compare(
    graph: Any,
    models: Sequence[str],
    *,
    splits: Splits | None = None,
    which: Sequence[int] | None = None,
    metric: Metric | None = None,
    keep_select_by: bool = False,
    presets: bool = True,
    configs: Mapping[str, TrainingConfig] | None = None,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    tune: int = 0,
    store: Path | None = None,
    on_done: Callable[[Unit], None] | None = None,
    on_trial: OnModelTrial | None = None,
) -> Comparison:
    """Trains every model on every split and reads the test nodes of each once, at the end.

    Models are ranked by mean validation score, and the `verdict` says in words which to take. A model whose feature
    scaling is neither published for the dataset nor given has the one that the split's validation nodes prefer.

    Args:
        graph: anything `lsgnn.as_graph` understands.
        models: names from `lsgnn.zoo.names()`.
        splits: splits to use instead of the graph's own (or, where it has none, of stratified ones).
        which: numbers of the splits to use; all by default.
        metric: what is scored, and what epochs are selected by; by default as in `lsgnn.fit`.
        keep_select_by: let epochs be selected as the settings say, though the metric is another.
        presets: use the settings known for this dataset by its name, rather than each model's defaults.
        configs: settings of single models, before any preset.
        changes: hyperparameters of single models over that, `{"gcn": {"lr": 0.05}}`.
        tune: trials to tune each model with first, on the validation nodes of the compared splits; 0 for none.
        store: folder of finished units and studies; a run that was killed goes on from there.
        on_done: called with each unit as soon as it is known.
        on_trial: called with a model's name and its study after every trial.
    """
    graph = as_graph(graph)
    if not models:
        raise InputError(f"there is no model to compare: name some of {', '.join(zoo.names())}")
    splits = default_splits(graph, splits)
    numbers = tuple(split_numbers(splits, which))
    for number in numbers:
        check_split(graph, splits[number])
        require_test_nodes(graph, splits[number], number)
    metric, why = chosen_metric(graph, [splits[number] for number in numbers], metric)
    given = {name: (configs or {}).get(name) for name in models}
    for name in (changes or {}).keys() - given.keys():
        raise InputError(f"there are changes of {name!r}, which is not compared: add it to the models")
    chosen = {number: splits[number] for number in numbers}
    settings, notes = configurations(
        graph, given, chosen, presets=presets, changes=changes, metric=metric, keep_select_by=keep_select_by
    )
    kept = UnitStore(store, graph)
    seeds = {name: of_splits[numbers[0]].seed for name, of_splits in settings.items()}
    if tune:
        from lsgnn.benchmark.tuned_configurations import tuned

        studies = None if kept.folder is None else kept.folder / "studies"
        settings = tuned(graph, settings, splits, tune, metric, studies, on_trial)
    rows = []
    for name, of_splits in settings.items():
        bench = _Bench(graph, name, metric)
        units = []
        for number, config in of_splits.items():
            key = kept.key(name, splits[number], config, metric)
            unit = kept.get(key, name, number)
            if unit is None:
                unit = bench.unit(number, splits[number], config)
                kept.add(key, unit)
            units.append(unit)
            if on_done is not None:
                on_done(unit)
        for_fit = changes_for_fit(graph, name, of_splits[numbers[0]].replace(seed=seeds[name]))
        rows.append(Row(name, zoo.get(name).title, tuple(units), for_fit))
    told = (*why, *notes)
    return Comparison.of(graph.name, metric, numbers, rows, class_names=graph.class_names, notes=told)


class _Bench:
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
