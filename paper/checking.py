"""A stored unit computed again: does it come out as stored? `scripts/check_results.py` asks that of every model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lsgnn import zoo
from lsgnn.benchmark.compare import compare
from lsgnn.benchmark.made_with import BEFORE
from lsgnn.benchmark.model_code import model_code
from lsgnn.benchmark.units import Unit
from lsgnn.datasets import load
from lsgnn.errors import DatasetUnavailable, InputError
from lsgnn.lines import LineFile

ROUNDING = 0.005  # two decimals are shown

Answer = Literal["reproduces", "within tolerance", "no longer reproduces", "not checked"]


@dataclass(frozen=True)
class Checked:
    """One model's unit, what is stored of it, and what comes out now (None where it could not be run)."""

    model: str
    answer: Answer
    dataset: str = ""
    split: int | None = None
    stored_val: float | None = None
    stored_test: float | None = None
    val: float | None = None
    test: float | None = None
    stored_commit: str | None = None
    same_code: bool | None = None  # whether the model's code is what it was; None where that was not kept
    why: str = ""

    def __str__(self) -> str:
        unit = f"{self.model}, {self.dataset}, split {self.split}" if self.dataset else self.model
        if self.test is None:
            return f"{unit}: {self.answer}: {self.why}"
        if self.answer == "reproduces":
            return f"{unit}: {self.answer}: {self.test:.2f}"
        made = f"at commit {self.stored_commit}" if self.stored_commit else BEFORE
        made += ", by another version of the model" if self.same_code is False else ""
        return (
            f"{unit}: {self.answer}: stored {self.stored_test:.2f}, now {self.test:.2f} (validation: stored "
            f"{self.stored_val:.2f}, now {self.val:.2f}; stored {made})"
        )


def stored_units(store: Path, model: str) -> list[Unit]:
    """All units of a model, in an order that does not depend on the one in which they were computed."""
    files = sorted(store.glob(f"*/{model}.jsonl"))
    found = [unit for file in files for line in LineFile(file).lines().values() if (unit := Unit.of(line))]
    return sorted(found, key=lambda unit: (unit.dataset, unit.split, repr(unit.config)))


def drawn(units: Sequence[Unit], seed: int, cpu_seconds: float) -> Unit | None:
    """A random one of those that did not take too long; the same for the same units and seed."""
    quick = [unit for unit in units if _spent(unit) <= cpu_seconds]
    return random.Random(f"{seed}/{quick[0].model}").choice(quick) if quick else None


def _spent(unit: Unit) -> float:
    """Seconds of a core; of a clock where the unit was stored before cores were asked."""
    if unit.cpu_seconds is None or unit.prepare_cpu_seconds is None:
        return unit.prepare_seconds + unit.seconds
    return unit.prepare_cpu_seconds + unit.cpu_seconds


def check(unit: Unit, tolerance: float, data_dir: Path | None = None) -> Checked:
    """Computes a unit again, with its stored configuration, split and seed."""
    about: Any = dict(dataset=unit.dataset, split=unit.split, stored_val=unit.val, stored_test=unit.test)
    about |= dict(stored_commit=unit.environment.get("commit"))
    about |= dict(same_code=unit.code == model_code(unit.model) if unit.code else None)
    try:
        graph = load(unit.dataset, data_dir)
        configs = {unit.model: zoo.get(unit.model).config.from_dict(unit.config)}
        shared: Any = dict(metric=unit.metric, keep_select_by=True, configs=configs)
        (now,) = compare(graph, [unit.model], which=[unit.split], **shared).rows[0].units
    except DatasetUnavailable as error:
        return Checked(unit.model, "not checked", **about, why=str(error))
    except InputError as error:  # a configuration, say, that the model does not know today
        return Checked(unit.model, "no longer reproduces", **about, why=str(error))
    assert graph.splits is not None
    split = graph.splits[unit.split]
    verdicts = (
        compared(unit.val, now.val, max(tolerance, 100 / split.val.sum())),
        compared(unit.test, now.test, max(tolerance, 100 / (split.test & graph.labelled).sum())),
    )
    worst = max(verdicts, key=("reproduces", "within tolerance", "no longer reproduces").index)
    return Checked(unit.model, worst, **about, val=now.val, test=now.test)


def compared(stored: float, now: float, tolerance: float) -> Answer:
    """Whether two scores are the same.

    >>> compared(81.08, 81.08, 1.0), compared(81.08, 80.2, 1.0), compared(81.08, 75.68, 1.0)
    ('reproduces', 'within tolerance', 'no longer reproduces')
    """
    apart = abs(now - stored)
    if apart < ROUNDING:
        return "reproduces"
    return "within tolerance" if apart < tolerance + ROUNDING else "no longer reproduces"
