"""Why a baseline differs from its published row: `peer_checks.toml` names changes to its preset, and each is run.

A change that brings our number to the published one is a likely cause. The test nodes are read to explain a difference,
never to choose: the main table stays as the presets say.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from lsgnn.datasets import info
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.gap_page import gain
from paper.graphs import graph_of
from paper.inputs import read_card
from paper.page import Page, Row, Score, Table
from paper.provenance import versions
from paper.published import nine, published, title

TITLE = "Why a baseline differs"
SMALL = 1_000  # nodes up to which all ten splits are run
FEWER = 3


@dataclass(frozen=True)
class Check:
    """One change to a model's preset on one dataset, and what it means in words."""

    model: str
    name: str
    says: str
    dataset: str
    change: dict[str, Any]

    @property
    def key(self) -> str:
        return f"{self.dataset}/{self.model}-{self.name}"


@dataclass(frozen=True)
class Measured:
    """Test scores (%) on the same splits, by the preset and with the change, and the published mean.

    `versions` tells which versions of the model's code the scores come from, where there are several: they explain
    nothing then.
    """

    check: Check
    published: float
    card: list[float]
    changed: list[float]
    versions: str = ""

    @property
    def explains(self) -> bool:
        """True if at least half of the difference to the published row goes with the change, and the change is more
        than its standard error."""
        before, after = (abs(Score.of(scores).mean - self.published) for scores in (self.card, self.changed))
        mean, error = gain(self.changed, self.card)
        return not self.versions and after <= before / 2 and abs(mean) > error

    @property
    def says(self) -> str:
        """The change in words, and a warning where it is not the only one."""
        warning = f" (by different versions of the model: {self.versions})" if self.versions else ""
        return self.check.says + warning

    def __str__(self) -> str:
        return f"{self.says}: {Score.of(self.changed)} (unchanged: {Score.of(self.card)}, {len(self.card)} splits)"


@cache
def checks() -> tuple[Check, ...]:
    """All checks, in the order of the file."""
    entries = tomllib.loads((files("paper") / "peer_checks.toml").read_text("utf-8"))["checks"]
    return tuple(
        Check(entry["model"], entry["name"], entry["says"], dataset, entry["change"])
        for entry in entries
        for dataset in entry["datasets"]
    )


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    from lsgnn.zoo.presets import zoo_preset

    found = []
    for check in checks():
        if check.dataset not in plan.chosen(("texas",) if plan.quick else nine()):
            continue
        config = zoo_preset(check.model, check.dataset).replace(**check.change)
        splits = 10 if info(check.dataset).nodes <= SMALL else FEWER
        if plan.quick:
            config, splits = config.replace(epochs=3), 1
        arguments = {"dataset": check.dataset, "model": check.model, "splits": splits, "config": config.to_dict()}
        found.append(PlannedUnit(check.key, arguments))
    return found


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    from lsgnn import zoo
    from lsgnn.benchmark.compare import compare

    model = arguments["model"]
    config = zoo.get(model).config.from_dict(arguments["config"])
    graph = graph_of(arguments["dataset"], plan.data_dir)
    done = compare(graph, [model], which=range(arguments["splits"]), configs={model: config}).rows[0].units
    return {"test": [unit.test for unit in done], "val": [unit.val for unit in done]}


def measured(results: Results) -> list[Measured]:
    """The checks that have run on datasets whose preset has run too, on the splits of both."""
    printed = {entry["zoo"]: dict(zip(nine(), entry["scores"], strict=True)) for entry in published()["main"].values()}
    done = []
    for check in checks():
        if found := results.get(check.key):
            card = read_card(results.root, check.dataset, check.model)
            both = {split: (card[split].test, test) for split, test in enumerate(found["test"]) if split in card}
            if both:
                before, after = (list(scores) for scores in zip(*both.values(), strict=True))
                codes = [*(card[split].code for split in both), results.code(check.key)]
                told = versions(codes) if len(set(codes)) > 1 else ""
                done.append(Measured(check, printed[check.model][check.dataset], before, after, told))
    return done


def render(results: Results) -> Page:
    labels = {entry["zoo"]: label for label, entry in published()["main"].items()}
    rows: list[Row] = []
    explained: list[str] = []
    others: list[str] = []
    for found in measured(results):
        label = f"{labels[found.check.model]}, {title(found.check.dataset)}"
        scores = (Score(found.published), Score.of(found.card), Score.of(found.changed))
        rows.append(Row(label, (*scores, f"{len(found.card)}", found.says)))
        (explained if found.explains else others).append(f"{label} ({found.says})")
    if not rows:
        return Page(TITLE, (), ("not run yet: `python -m paper run peers`",))
    caption = (
        "Test accuracy (%) of a baseline with its preset and with one change. published: as printed in the "
        "LSGNN paper. ours: both on the same official splits, best validation accuracy unless the change says "
        "otherwise. The changes look for causes; nothing is chosen by them."
    )
    columns = ("published", "ours", "ours, changed", "splits", "change")
    findings = (
        f"at least half of the difference to the published row goes with: {'; '.join(explained) or 'none'}",
        f"it stays, grows, or changes by less than its standard error, with: {'; '.join(others) or 'none'}",
    )
    return Page(TITLE, (Table("peers", caption, "model, data", columns, tuple(rows)),), findings)


EXPERIMENT = Experiment("peers", TITLE, render, units, compute)
