"""What an experiment is: a list of units to compute, each one line of a file, and a page made from these alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsgnn.errors import InputError
from lsgnn.lines import LineFile, key_of
from paper.page import Page


@dataclass(frozen=True)
class PlannedUnit:
    """The smallest piece of work that is kept, before it is done.

    Args:
        name: of the unit in its experiment: `texas/localsim`; units of one dataset are kept in one file.
        arguments: everything that decides the result, as JSON can hold it; stored with the result.
    """

    name: str
    arguments: dict[str, Any] = field(repr=False)


def code_of(arguments: Mapping[str, Any]) -> str:
    """The digest of the code of the model that a unit is about, as it is now; empty where it names none of the zoo."""
    from lsgnn import zoo
    from lsgnn.benchmark.model_code import model_code

    model = arguments.get("model", arguments.get("host"))
    return model_code(model) if model in zoo.names() else ""


@dataclass(frozen=True)
class Plan:
    """What was asked for.

    Args:
        datasets: the datasets to run on; None for the experiment's own choice.
        quick: a tiny version that ends in seconds and proves nothing; its results are kept apart.
        data_dir: folder of `.npz` graphs.
        models: the models to run, where an experiment has a choice of them; None for the experiment's own.
        studies: folder for what a long unit has done so far, from where it goes on after a kill; None to keep nothing.
    """

    datasets: tuple[str, ...] | None = None
    quick: bool = False
    data_dir: Path | None = None
    models: tuple[str, ...] | None = None
    studies: Path | None = None

    def chosen(self, default: tuple[str, ...]) -> tuple[str, ...]:
        return default if self.datasets is None else self.datasets


@dataclass(frozen=True)
class Results:
    """The stored results: those of one experiment, and the folder in which other tools leave theirs.

    Args:
        root: `paper/results/`, which holds `experiments/`, `tuning/` and `zoo/`.
        experiment: name of the experiment.
        quick: read (and write) the quick version's results, which never mix with the real ones.
        benchmarks: folder of what the scripts in `benchmarks/` measured; None if nothing was.
        fresh: do not see units that were made by other code of their model than there is now. They stay in the file
            until new ones, whose lines come later, take their place.
    """

    root: Path
    experiment: str
    quick: bool = False
    benchmarks: Path | None = None
    fresh: bool = False
    _files: dict[Path, LineFile] = field(default_factory=dict, repr=False, compare=False)

    @property
    def folder(self) -> Path:
        return self.root / ("quick" if self.quick else "experiments") / self.experiment

    def path(self, name: str) -> Path:
        """The file of a unit: one per dataset, or one for all where the units are not of datasets."""
        first, slash, _ = name.partition("/")
        return self.folder / f"{first if slash else 'all'}.jsonl"

    def get(self, name: str) -> Any:
        """What the unit computed; None if it has not run."""
        stored = self._stored(self.path(name)).get(name)
        return None if stored is None else stored["result"]

    def arguments(self, name: str) -> dict[str, Any]:
        """What a finished unit was computed from."""
        arguments: dict[str, Any] = self._stored(self.path(name))[name]["arguments"]
        return arguments

    def code(self, name: str) -> str:
        """The code of the model that made a finished unit; empty where it has none or it was not kept."""
        return str(self._stored(self.path(name))[name].get("code", ""))

    def add(self, unit: PlannedUnit, **outcome: Any) -> None:
        """Keeps what a unit computed, as `result`, and whatever else there is to say of it."""
        about = {"experiment": self.experiment, "name": unit.name, "arguments": unit.arguments}
        self._file(self.path(unit.name)).add(key_of(self.experiment, unit.name, unit.arguments), about | outcome)

    def _file(self, path: Path) -> LineFile:
        return self._files.setdefault(path, LineFile(path))

    def _stored(self, path: Path) -> dict[str, dict[str, Any]]:
        """Name → line, for the lines of a file that are whole."""
        lines = self._file(path).lines().values()
        whole = {line["name"]: line for line in lines if {"name", "arguments", "result"} <= line.keys()}
        if not self.fresh:
            return whole
        return {name: line for name, line in whole.items() if line.get("code") == code_of(line["arguments"])}

    def benchmark(self, name: str) -> Any:
        """What a script in `benchmarks/` measured; None if it has not run."""
        path = self.benchmarks / f"{name}.json" if self.benchmarks else None
        return read_json(path) if path and path.is_file() else None

    def finished(self) -> list[str]:
        """The names of all finished units, sorted."""
        return sorted(name for path in self.folder.glob("*.jsonl") for name in self._stored(path))

    def lines(self) -> Iterator[dict[str, Any]]:
        """Everything that is stored of the finished units, by name."""
        yield from (self._stored(self.path(name))[name] for name in self.finished())


Compute = Callable[[dict[str, Any], Plan], dict[str, Any]]


@dataclass(frozen=True)
class Experiment:
    """One table or figure of the paper.

    Args:
        name: as in `python -m paper run NAME`.
        title: heading of its page.
        render: stored results in, page out; computes nothing that takes time and draws no random number.
        units: the units that can be computed now, finished ones included; asked again until it names nothing new, so
            that a unit may build on the results of others. None where the page shows what other commands have stored.
        compute: a unit's arguments in, its result out; a function of a module, because it may run in another process.
            Needed where there are units.
        sources: the stored lines that the page is made from; by default the units of the experiment.
    """

    name: str
    title: str
    render: Callable[[Results], Page]
    units: Callable[[Plan, Results], list[PlannedUnit]] = lambda plan, results: []
    compute: Compute | None = None
    sources: Callable[[Results], Iterable[Mapping[str, Any]]] = Results.lines


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a JSON document ({error}): remove it and run its experiment again") from error
