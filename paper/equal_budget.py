"""The strongest baselines and LSGNN, each tuned by its own search space with one and the same budget.

A unit is one model on one dataset. Search: `TRIALS` trials or `MINUTES` minutes of a core, whichever ends first, judged
by validation nodes; the first trial is the model's preset, or where it has none for the dataset its defaults with the
features scaled as a small MLP prefers. Test: the chosen configuration on all splits, with a seed that the search has
not seen, each test score read once. A unit that is killed goes on from its study and its finished splits.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lsgnn.datasets import info
from lsgnn.errors import DatasetUnavailable, InputError
from lsgnn.files import make_folder
from lsgnn.graph.graph import Graph
from lsgnn.lines import key_of
from paper.equal_budget_page import OTHERS, models_of, render
from paper.frame import Experiment, Plan, PlannedUnit, Results, code_of
from paper.graphs import graph_of
from paper.published import nine

TRIALS, MINUTES = 30, 5.0  # of a search, the minutes of one core
RESCORED = 3  # best trials that are scored again with fresh seeds before the choice; their time comes on top
TEST_MINUTES = 30.0  # of one core; where ten splits would take longer, three are tested
FEWER = 3


def limits(nodes: int) -> dict[str, int]:
    """Splits that judge a trial and, on larger graphs, the most epochs and patience: the same for all models."""
    if nodes <= 5_000:
        return {"search_splits": 3}
    if nodes <= 10_000:
        return {"search_splits": 3, "epochs": 300, "patience": 50}
    return {"search_splits": 1, "epochs": 150, "patience": 30}


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    """Small datasets first; LSGNN first on each."""
    own = (*nine(), *OTHERS, *(name.partition("/")[0] for name in results.finished()))
    chosen = plan.chosen(("cora-linqs",) if plan.quick else tuple(dict.fromkeys(own)))
    models = plan.models or (("lsgnn", "sgc") if plan.quick else models_of(results))
    found = []
    for dataset in sorted(chosen, key=lambda name: info(name).nodes):
        budget: dict[str, Any] = {"trials": TRIALS, "minutes": MINUTES} | limits(info(dataset).nodes)
        if plan.quick:
            budget |= {"trials": 2, "search_splits": 1, "epochs": 3}
        found += [PlannedUnit(f"{dataset}/{m}", {"dataset": dataset, "model": m} | budget) for m in models]
    return found


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    """Search and test; where the model cannot run on the graph, why."""
    graph = graph_of(arguments["dataset"], plan.data_dir)
    try:
        with TemporaryDirectory() as temporary:
            name = f"{arguments['model']}-{code_of(arguments)}"  # another version begins anew
            return tuned_and_tested(graph, arguments, (plan.studies or Path(temporary)) / name)
    except DatasetUnavailable:
        raise
    except (InputError, MemoryError) as error:
        return {"error": str(error) or type(error).__name__}


def tuned_and_tested(graph: Graph, arguments: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Search and test, both kept in the folder as they go."""
    from lsgnn.benchmark.compare import compare
    from lsgnn.benchmark.final_scores import UNSEEN

    base = start(graph, arguments)
    began_with = key_of(base.to_dict(), arguments["search_splits"])  # another preset is another search
    found = search(graph, base, arguments, make_folder(folder) / f"{arguments['dataset']}-{began_with}.db")
    config = found.pop("tuned").replace(seed=UNSEEN)
    model, splits = arguments["model"], len(graph.splits or ())
    shared: Any = dict(metric=info(graph.name).metric, keep_select_by=True, configs={model: config}, store=folder)
    (first,) = compare(graph, [model], which=[0], **shared).rows[0].units
    tested = splits if splits * (first.cpu_seconds or 0.0) <= 60 * TEST_MINUTES else min(FEWER, splits)
    done = compare(graph, [model], which=range(tested), **shared).rows[0].units
    return found | {
        "config": config.to_dict(),
        "val": [unit.val for unit in done],
        "test": [unit.test for unit in done],
        "test_cpu_seconds": round(sum(unit.cpu_seconds or 0.0 for unit in done), 2),
    }


class _Spent(Exception):
    """The minutes of a search are over."""


def search(graph: Graph, base: Any, arguments: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The configuration that a search on validation nodes chose, as `tuned`, and what the search was."""
    from lsgnn.tuning import tune
    from lsgnn.tuning.study import count_finished
    from lsgnn.zoo.prepared import Prepared

    known = _study(file)
    before = known.user_attrs.get("cpu_seconds", 0.0) if known else 0.0
    finished = count_finished(known) if known else 0
    begun, spent = time.process_time(), before

    def on_trial(study: Any) -> None:
        nonlocal finished, spent
        finished, spent = count_finished(study), before + time.process_time() - begun
        study.set_user_attr("cpu_seconds", spent)
        if _is_spent(study, 60 * arguments["minutes"]):
            raise _Spent

    shared: Any = dict(
        model=arguments["model"], base=base, which=range(min(arguments["search_splits"], len(graph.splits or ())))
    )
    shared |= dict(
        metric=info(graph.name).metric, keep_select_by=True, storage=file, grid=False, rescore=RESCORED, workers=1
    )
    shared |= dict(prepared=Prepared(graph, keep=16))
    trials = finished if known and _is_spent(known, 60 * arguments["minutes"]) else arguments["trials"]
    try:
        tuning = tune(graph, trials=trials, on_trial=on_trial, **shared)
    except _Spent:
        tuning = tune(graph, trials=finished, **shared)
    return {
        "tuned": tuning.config,
        "base": base.to_dict(),
        "settings": tuning.settings,
        "num_trials": len(tuning.trials),
        "search_val": tuning.rescored[0]["val"],
        "search_cpu_seconds": round(spent, 2),  # of trials, those that a kill interrupted not counted
    }


def start(graph: Graph, arguments: Mapping[str, Any]) -> Any:
    """What a search starts from: as in `compare`, with no more epochs than the graph's size allows."""
    from lsgnn.benchmark.configurations import configurations

    assert graph.splits is not None
    model, metric = arguments["model"], info(graph.name).metric
    found, _ = configurations(graph, {model: None}, {0: graph.splits[0]}, metric=metric)
    config = found[model][0]
    most = {name: arguments[name] for name in ("epochs", "patience") if name in arguments}
    return config.replace(**{n: min(getattr(config, n) or most[n], most[n]) for n in most if hasattr(config, n)})


def _study(file: Path) -> Any:
    """The study in a file, if it has been begun."""
    import optuna

    from lsgnn.tuning.database import database, turn

    if not file.exists():
        return None
    with turn(file):
        storage = database(file)
    names = optuna.get_all_study_names(storage)
    return optuna.load_study(study_name=names[0], storage=storage) if names else None


def _is_spent(study: Any, seconds: float) -> bool:
    """True if a search has had its time, and a trial that is complete to choose."""
    from optuna.trial import TrialState

    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    return bool(complete) and study.user_attrs.get("cpu_seconds", 0.0) >= seconds


EXPERIMENT = Experiment("equal-budget", "Tuned with one budget", render, units, compute)
