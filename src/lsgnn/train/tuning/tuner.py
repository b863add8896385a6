"""`tune`: search settings on validation nodes, re-score the best with fresh seeds, choose one. Test is not involved."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.trial import FrozenTrial, TrialState

from lsgnn import zoo
from lsgnn.config import LSGNNConfig, TrainingConfig
from lsgnn.errors import InputError, TrainingDiverged
from lsgnn.graph.convert import as_graph
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split, Splits
from lsgnn.train.engines import Engine
from lsgnn.train.fit import check_split, default_splits
from lsgnn.train.metrics import Metric
from lsgnn.train.tuning.scorer import LSGNNScorer, Scorer, ZooScorer
from lsgnn.train.tuning.space import SHARES, SPACES, SpaceName
from lsgnn.train.tuning.study import OnTrial, finished, open_study, search
from lsgnn.train.units import digest_of_graph, digest_of_split
from lsgnn.zoo.presets import zoo_preset

GRID_SPLITS = 3  # splits that the first look at the (β, γ) cells uses
GRID_BEST = 8  # cells that go on to full trials
TOP = 10  # settings re-scored before one is chosen
ROUNDS = 2  # of re-scoring, each with fresh seeds and half of the settings of the one before
STRIDE = 1_000  # from the seeds of one scoring to those of the next; each split adds its number


@dataclass(frozen=True)
class Tuning:
    """A finished search.

    Args:
        settings: the chosen settings, over `base`.
        per_split: for each split, of all settings tried, those its own validation nodes prefer (the stricter rule; what
            is tried is decided by all splits together).
        rescored: the best settings of the search, with their mean validation score on fresh seeds and the number of
            rounds they were in; the chosen ones first.
        trials: every finished trial: settings, validation score per split, state.
        seconds: of this search, earlier calls that it went on from included.
    """

    base: Any
    settings: dict[str, Any]
    per_split: list[dict[str, Any]] = field(repr=False)
    rescored: list[dict[str, Any]] = field(repr=False)
    trials: list[dict[str, Any]] = field(repr=False)
    seconds: float = 0.0

    @property
    def config(self) -> Any:
        """The chosen settings as a configuration."""
        return self.base.replace(**self.settings)

    def committee(self, size: int) -> list[Any]:
        """The settings that did best on fresh seeds, to vote together: what one of them has won by luck counts less."""
        if not 1 <= size <= len(self.rescored):
            raise InputError(f"size={size} is out of range: {len(self.rescored)} settings have been scored again")
        return [self.base.replace(**candidate["settings"]) for candidate in self.rescored[:size]]

    @property
    def configs_per_split(self) -> list[Any]:
        return [self.base.replace(**settings) for settings in self.per_split]

    def to_dict(self) -> dict[str, Any]:
        return {
            "chosen": self.settings,
            "rescored": self.rescored,
            "per_split": self.per_split,
            "trials": self.trials,
            "base": self.base.to_dict(),
            "seconds": round(self.seconds, 1),
        }


def tune(
    graph: Any,
    *,
    model: str = "lsgnn",
    space: SpaceName = "paper",
    trials: int = 200,
    base: TrainingConfig | None = None,
    splits: Splits | None = None,
    which: Sequence[int] | None = None,
    metric: Metric = "accuracy",
    storage: str | Path | None = None,
    prune: bool = True,
    grid: bool = True,
    start: Sequence[Mapping[str, Any]] = (),
    timeout: float = math.inf,
    seed: int = 0,
    engine: Engine = "auto",
    workers: int = 2,
    on_trial: OnTrial | None = None,
) -> Tuning:
    """Tunes a model on a graph by mean validation score over its splits.

    Args:
        graph: anything `lsgnn.as_graph` understands.
        model: LSGNN, or any model of the zoo with its own space.
        space: for LSGNN, the paper's search space or the extended one.
        trials: how many settings to try (for LSGNN after a first look at all 36 cells of β and γ, if `grid`).
        base: settings the space does not touch.
        splits: splits to use instead of the graph's own; `which` picks some of them.
        metric: what to maximise on the validation nodes.
        storage: database file; a search that was stopped goes on from it, and several processes may share it.
        prune: stop a trial when its first splits are clearly worse than those of the best one.
        start: settings to try first, such as those that suited a similar graph; names of the space only.
        timeout: seconds after which no further trial is begun (re-scoring the best comes on top); the next call goes
            on, if there is a `storage`.
        seed: of the search; trainings take a seed of their own on each split, or settings would be preferred that
            are lucky with one seed's first weights on all splits at once. Re-scoring uses further seeds.
        on_trial: called with the study after every trial.
    """
    if trials < 1:
        raise InputError(f"trials={trials} is out of range: it must be at least 1")
    if not timeout > 0:
        raise InputError(f"timeout={timeout} is out of range: it must be a positive number of seconds")
    graph, zoo_model = as_graph(graph), zoo.get(model)
    base = base or (LSGNNConfig() if model == "lsgnn" else zoo_preset(model, graph.name))
    splits = default_splits(graph, splits)
    numbers = list(range(len(splits)) if which is None else which)
    if not numbers:
        raise InputError("which is empty: name at least one split")
    for s in numbers:
        check_split(graph, splits[s])
    scorer: Scorer
    if isinstance(base, LSGNNConfig):
        name, suggest = f"{graph.name}/lsgnn/{space}", SPACES[space]
        scorer = LSGNNScorer(graph, splits, base, metric, engine, workers)
    else:
        name, suggest = f"{graph.name}/{model}", zoo_model.space
        scorer = ZooScorer(graph, splits, zoo_model, base, metric)
    began, file = time.perf_counter(), Path(storage) if storage else None
    deadline = time.monotonic() + timeout
    decides = digest(graph, [splits[s] for s in numbers], base, metric, seed)
    study = open_study(name, file, seed, prune, decides)
    first_look_due = grid and isinstance(base, LSGNNConfig) and not study.trials
    for settings in start:
        study.enqueue_trial(dict(settings), skip_if_exists=True)
    if first_look_due:
        first_look = open_study(f"{name}/grid", file, seed, prune=False, decides=decides)
        for cell in best_cells(scorer, first_look, numbers, seed, deadline):
            study.enqueue_trial(cell, skip_if_exists=True)  # another process may have come first
    search(study, scorer, suggest, numbers, trials, seed, on_trial, deadline)
    tuning = choose(study, scorer, numbers, seed)
    seconds = study.user_attrs.get("seconds", 0.0) + time.perf_counter() - began
    study.set_user_attr("seconds", seconds)
    return replace(tuning, seconds=seconds)


def digest(graph: Graph, splits: Sequence[Split], base: TrainingConfig, metric: Metric, seed: int) -> str:
    """A name for everything but the searched settings that decides a score."""
    parts = [digest_of_graph(graph), *(digest_of_split(split) for split in splits), base.to_dict(), metric, seed]
    parts.append("a seed per split")
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def best_cells(
    scorer: Scorer, study: optuna.Study, splits: list[int], seed: int, deadline: float
) -> list[dict[str, float]]:
    """A quick look at all 36 cells of (β, γ) on a few splits: the search alone can miss the right one for long."""
    if not study.trials:
        for beta in SHARES:
            for gamma in SHARES:
                study.enqueue_trial({"beta": beta, "gamma": gamma})

    def cells(trial: optuna.Trial) -> dict[str, Any]:
        return {name: trial.suggest_categorical(name, SHARES) for name in ("beta", "gamma")}

    search(study, scorer, cells, splits[:GRID_SPLITS], len(SHARES) ** 2, seed, deadline=deadline)
    ranked = sorted(study.get_trials(states=(TrialState.COMPLETE,)), key=lambda t: -(t.value or 0.0))
    return [dict(trial.params) for trial in ranked[:GRID_BEST]]


def choose(study: optuna.Study, scorer: Scorer, splits: list[int], seed: int) -> Tuning:
    """Re-scores the best settings with fresh seeds, as the search's own best is partly luck, and takes the best.

    The better half of them is scored once more, so that the choice is made where most is known.
    """
    done = finished(study)
    complete = sorted((t for t in done if t.state == TrialState.COMPLETE), key=lambda t: -(t.value or 0.0))
    if not complete:
        raise InputError(f"none of the {len(done)} trials was finished: run more of them")
    fresh: dict[int, list[list[float]]] = {trial.number: [] for trial in complete[:TOP]}
    candidates = complete[:TOP]
    for number in range(ROUNDS):
        for trial in candidates:
            fresh[trial.number].append(_rescore(study, scorer, trial, splits, seed + STRIDE * (1 + number)))
        candidates.sort(key=lambda t: -np.mean(fresh[t.number]))  # the earlier of equals stays first
        candidates = candidates[: math.ceil(len(candidates) / 2)]
    rescored = [
        {
            "trial": trial.number,
            "settings": trial.user_attrs["settings"],
            "val": float(np.mean(fresh[trial.number])),
            "rounds": len(fresh[trial.number]),
            "search_val": trial.value,
        }
        for trial in complete[:TOP]
    ]
    rescored.sort(key=lambda r: (-r["rounds"], -r["val"]))
    by_split = [best_on_split(done, s).user_attrs["settings"] for s in range(len(splits))]
    history = [{"trial": t.number, "state": t.state.name.lower(), **_told(t)} for t in done]
    return Tuning(scorer.base, rescored[0]["settings"], by_split, rescored, history)


def best_on_split(trials: Sequence[FrozenTrial], s: int) -> FrozenTrial:
    """The trial that a split's own validation nodes like best, pruned ones included; the earliest of equals.

    The mean over all splits must not break ties: other splits validate on this one's test nodes.
    """
    scored = [t for t in trials if len(t.user_attrs["val"]) > s]
    return max(scored, key=lambda t: (t.user_attrs["val"][s], -t.number))


def _rescore(study: optuna.Study, scorer: Scorer, trial: FrozenTrial, splits: list[int], seed: int) -> list[float]:
    """Validation scores of a trial's settings with another seed, kept in the study; 0 where it diverges."""
    key = f"rescored/{trial.number}/{seed}"
    if key not in study.user_attrs:
        try:
            scores = list(scorer.scores(trial.user_attrs["settings"], splits, seed))
        except TrainingDiverged:
            scores = [0.0] * len(splits)
        study.set_user_attr(key, json.dumps(scores))
    found: list[float] = json.loads(study.user_attrs[key])
    return found


def _told(trial: FrozenTrial) -> dict[str, Any]:
    """What `search` noted down of a finished trial."""
    return {"settings": trial.user_attrs["settings"], "val": trial.user_attrs["val"]}
