"""`compare`: a leader board of several models on one graph, every one on the same splits, reading nodes alike.

Where accuracy is scored, baselines keep the epoch of the best validation accuracy and LSGNN that of the lowest
validation loss, as its authors do; other metrics select the epochs of all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn import zoo
from lsgnn.benchmark.comparison import Comparison, Row
from lsgnn.benchmark.configurations import changes_for_fit, configurations
from lsgnn.benchmark.units import Unit, UnitStore
from lsgnn.benchmark.worker import Wanted, computed
from lsgnn.config import TrainingConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.split_checks import check_split, default_splits, require_test_nodes, split_numbers
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.defaults import chosen_metric
from lsgnn.train.metrics import Metric, about, judging_nodes

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
    workers: int = 1,
    on_done: Callable[[Unit], None] | None = None,
    on_trial: OnModelTrial | None = None,
) -> Comparison:
    """Trains every model on every split and reads the test nodes of each once, at the end.

    Models are ranked by mean validation score, and the `verdict` says in words which to take. How a model reads nodes
    (feature scaling, log degrees, class weights) is what the split's validation nodes prefer, unless it was published
    for the dataset or given.

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
        workers: processes that train, one thread each; results do not depend on their number.
        on_done: called with each unit as soon as it is known.
        on_trial: called with a model's name and its study after every trial.
    """
    graph = as_graph(graph)
    if workers < 1:
        raise InputError(f"workers={workers} is out of range: it must be positive")
    if not models:
        raise InputError(f"there is no model to compare: name some of {', '.join(zoo.names())}")
    if twice := [name for name in dict.fromkeys(models) if list(models).count(name) > 1]:
        raise InputError(f"{twice[0]!r} is there twice: name each model once")
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
    how: dict[str, Any] = dict(presets=presets, changes=changes, metric=metric, keep_select_by=keep_select_by)
    settings, notes = configurations(graph, given, chosen, tuned=tune > 0, **how)
    kept = UnitStore(store, graph)
    seeds = {name: of_splits[numbers[0]].seed for name, of_splits in settings.items()}
    if tune:
        from lsgnn.benchmark.tuned_configurations import tuned

        studies = None if kept.folder is None else kept.folder / "studies"
        settings = tuned(graph, settings, splits, tune, metric, studies, on_trial)
    asked = [Wanted(name, number, config) for name, of in settings.items() for number, config in of.items()]
    keys = {w.place: kept.key(w.model, splits[w.split], w.config, metric) for w in asked}
    units = {w.place: unit for w in asked if (unit := kept.get(keys[w.place], w.model, w.split)) is not None}
    tell = on_done or (lambda unit: None)
    for unit in units.values():
        tell(unit)
    missing = [w for w in asked if w.place not in units]
    for unit in computed(missing, graph, splits, metric, workers):
        units[unit.model, unit.split] = unit
        kept.add(keys[unit.model, unit.split], unit)
        tell(unit)
    nodes = _judging(graph, list(chosen.values()), metric) if about(metric).percent else (0.0, 0.0)
    rows = []
    for name, of_splits in settings.items():
        config = of_splits[numbers[0]].replace(seed=seeds[name])
        for_fit = changes_for_fit(graph, name, config, exact=tune > 0)
        rows.append(
            Row(name, zoo.get(name).title, tuple(units[name, number] for number in of_splits), for_fit, nodes=nodes)
        )
    told = (*why, *notes)
    return Comparison.of(graph.name, metric, numbers, rows, class_names=graph.class_names, notes=told)


def _judging(graph: Graph, splits: Sequence[Split], metric: Metric) -> tuple[float, float]:
    """Validation and test nodes of a split that decide its score, on average."""
    parts = [[graph.y[mask & graph.labelled] for mask in (split.val, split.test)] for split in splits]
    val, test = np.mean([[judging_nodes(metric, y) for y in part] for part in parts], axis=0)
    return float(val), float(test)
