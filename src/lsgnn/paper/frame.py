"""What an experiment is: a list of units to compute, each one JSON file, and a page rendered from these files alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsgnn.errors import InputError
from lsgnn.paper.page import Page


@dataclass(frozen=True)
class Unit:
    """The smallest piece of work that is kept.

    Args:
        key: path of its file below the experiment's folder, without `.json`: `texas/localsim`.
        arguments: everything that decides the result, as JSON can hold it; stored with the result.
    """

    key: str
    arguments: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Plan:
    """What was asked for.

    Args:
        datasets: the datasets to run on; None for the experiment's own choice.
        quick: a tiny version that ends in seconds and proves nothing; its results are kept apart.
        data_dir: folder of `.npz` graphs.
    """

    datasets: tuple[str, ...] | None = None
    quick: bool = False
    data_dir: Path | None = None

    def chosen(self, default: tuple[str, ...]) -> tuple[str, ...]:
        return default if self.datasets is None else self.datasets


@dataclass(frozen=True)
class Results:
    """The stored results: those of one experiment, and the folder in which other tools leave theirs.

    Args:
        root: `results/`, which also holds `tuning/`, `zoo/` and `benchmarks/`.
        experiment: name of the experiment.
        quick: read (and write) the quick version's results, which never mix with the real ones.
    """

    root: Path
    experiment: str
    quick: bool = False

    @property
    def folder(self) -> Path:
        return self.root / ("paper-quick" if self.quick else "paper") / self.experiment

    def path(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def get(self, key: str) -> Any:
        """What the unit computed; None if it has not run."""
        path = self.path(key)
        return read_json(path)["result"] if path.is_file() else None

    def arguments(self, key: str) -> dict[str, Any]:
        arguments: dict[str, Any] = read_json(self.path(key))["arguments"]
        return arguments

    def finished(self) -> list[str]:
        """The keys of all finished units, sorted."""
        found = self.folder.rglob("*.json") if self.folder.is_dir() else ()
        return sorted(p.relative_to(self.folder).with_suffix("").as_posix() for p in found if p.name[0] != ".")


Compute = Callable[[dict[str, Any], Plan], dict[str, Any]]


@dataclass(frozen=True)
class Experiment:
    """One table or figure of the paper.

    Args:
        name: as in `lsgnn paper NAME`.
        title: heading of its page.
        render: stored results in, page out; computes nothing that takes time and draws no random number.
        units: the units that can be computed now, finished ones included; asked again until it names nothing new, so
            that a unit may build on the results of others. None where the page shows what other commands have stored.
        compute: a unit's arguments in, its result out; a function of a module, because it may run in another process.
            Needed where there are units.
    """

    name: str
    title: str
    render: Callable[[Results], Page]
    units: Callable[[Plan, Results], list[Unit]] = lambda plan, results: []
    compute: Compute | None = None


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a JSON document ({error}): remove it and run its experiment again") from error
