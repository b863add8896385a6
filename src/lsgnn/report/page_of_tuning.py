"""`tuning_page`: a search over hyperparameters as one HTML file, from its history to what was chosen and why."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsgnn.benchmark.evaluate import Evaluation, shown
from lsgnn.files import write_text
from lsgnn.report.page import NOT_DEFINED, render, table
from lsgnn.report.searched import Axis, axes_of, importances, trials_of
from lsgnn.report.tuning_charts import (
    history_chart,
    importance_chart,
    parallel_coordinates,
    rescoring_chart,
    slice_chart,
)
from lsgnn.train.metrics import Metric, about, digits_of, unit_of, utility
from lsgnn.tuning.choice import Tuning
from lsgnn.zoo import get

MAX_SLICES = 12


def tuning_page(
    tuning: Tuning,
    *,
    dataset: str,
    model: str = "lsgnn",
    metric: Metric = "accuracy",
    test: Mapping[str, Evaluation] | None = None,
    storage: str | Path | None = None,
    command: str = "",
) -> str:
    """The whole page as text.

    Args:
        tuning: a finished search (`lsgnn.tune`).
        dataset, model, metric: what was searched, and by which score.
        test: the test scores of `final_scores`, if the test nodes were read.
        storage: the study's database file, if it has one.
        command: fits the chosen configuration (by default the call in Python does).
    """
    trials, chosen = trials_of(tuning), int(tuning.rescored[0]["trial"])
    axes = axes_of(trials)
    shares = importances(trials, axes, metric)
    axes.sort(key=lambda axis: -shares.get(axis.name, 0.0))  # the order of the space, where nothing is known
    several = len(tuning.rescored) > 1
    return render(
        "tuning.html",
        title=f"{dataset}: tuning of {get(model).title}",
        scored_by=about(metric).title,
        splits=max(len(t["val"]) for t in tuning.trials),
        complete=sum(t.complete for t in trials),
        trials=len(tuning.trials),
        seconds=tuning.seconds,
        best=_score(metric, max((t.score for t in trials if t.complete), key=lambda s: utility(metric, s))),
        fresh=_score(metric, tuning.rescored[0]["val"]),
        chosen=chosen,
        verdict=what_rescoring_changed(tuning, metric),
        chosen_table=_chosen(tuning, axes),
        next=command or f"lsgnn.fit(graph, tuning.config, model={json.dumps(model)})",
        charts={
            "history": history_chart(trials, chosen, metric),
            "importance": importance_chart(shares) if shares else None,
            "slices": [slice_chart(axis, trials, chosen, metric) for axis in axes[:MAX_SLICES]],
            "parallel": parallel_coordinates(axes, trials, chosen, metric) if axes else None,
            "rescoring": rescoring_chart(tuning.rescored, metric) if several else None,
        },
        axes=len(axes),
        rescored=_rescored(tuning, metric),
        test=None if test is None else _test(test, metric),
        dashboard=None if storage is None else f"optuna-dashboard {shlex.quote(f'sqlite:///{storage}')}",
    )


def write_tuning_page(tuning: Tuning, path: str | Path, **about_it: Any) -> None:
    """Writes the page, whole or not at all; arguments as for `tuning_page`."""
    write_text(path, tuning_page(tuning, **about_it))


def what_rescoring_changed(tuning: Tuning, metric: Metric) -> list[str]:
    """Was the search's own best luck, and which trial was taken in its place?"""
    chosen = tuning.rescored[0]
    searched = sorted(tuning.rescored, key=lambda r: (-utility(metric, r["search_val"]), r["trial"]))
    best = searched[0]
    before, after = (_score(metric, best[key]) for key in ("search_val", "val"))
    said = [f"The search's best, trial {best['trial']}, had {before}; trained again with fresh seeds it has {after}."]
    if best["trial"] == chosen["trial"]:
        others = len(tuning.rescored) - 1
        ahead = f"It stays ahead of the {others} other re-scored trial{'s' * (others > 1)}: chosen."
        said.append(ahead if others else "No other trial was re-scored: chosen.")
    else:
        rank, fresh = 1 + searched.index(chosen), _score(metric, chosen["val"])
        said.append(
            f"Chosen is trial {chosen['trial']}, number {rank} of the search, which has {fresh} with fresh seeds "
            f"({_score(metric, chosen['search_val'])} in the search)."
        )
    return said


def _score(metric: Metric, value: float) -> str:
    """A displayed value with its unit."""
    return f"{value:.{digits_of(metric)}f} {unit_of(metric)}".rstrip()


def _chosen(tuning: Tuning, axes: list[Axis]) -> dict[str, Any]:
    """The chosen value of each hyperparameter, what it was before, and what was tried."""
    tried = {axis.name: _tried(axis) for axis in axes}
    before = tuning.base.to_dict()
    rows = [
        [name, _short(value), _short(before.get(name, NOT_DEFINED)), tried.get(name, "only this")]
        for name, value in tuning.settings.items()
    ]
    return table(["hyperparameter", "chosen", "before", "tried"], rows, words=(0, 1, 2, 3))


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _tried(axis: Axis) -> str:
    return ", ".join(map(_short, axis.choices)) if axis.choices else f"{_short(axis.low)} to {_short(axis.high)}"


def _rescored(tuning: Tuning, metric: Metric) -> dict[str, Any]:
    """The re-scored trials, the chosen one first, and where each stood in the search."""
    order = sorted(tuning.rescored, key=lambda r: (-utility(metric, r["search_val"]), r["trial"]))
    ranks = {r["trial"]: rank for rank, r in enumerate(order, 1)}
    rows = [
        [
            f"{r['trial']}{' (chosen)' if not place else ''}",
            (str(ranks[r["trial"]]), ranks[r["trial"]]),
            (_score(metric, r["search_val"]), r["search_val"]),
            (_score(metric, r["val"]), r["val"]),
            f"{r['val'] - r['search_val']:+.{digits_of(metric)}f}".replace("-", "−"),
            str(r["rounds"]),
            ", ".join(f"{name}={_short(value)}" for name, value in r["settings"].items()),
        ]
        for place, r in enumerate(tuning.rescored)
    ]
    heads = ["trial", "rank in the search", "search", "fresh seeds", "change", "rounds", "configuration"]
    return table(heads, rows, words=(0, 6))


def _test(test: Mapping[str, Evaluation], metric: Metric) -> dict[str, Any]:
    scores = {rule: found.to_dict()[f"test_{metric}"] for rule, found in test.items()}
    return table(
        ["rule of choice", f"test {about(metric).title}"],
        [[rule, shown(score, digits_of(metric))] for rule, score in scores.items()],
    )
