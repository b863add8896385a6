"""Finished units of work, kept so that a killed run goes on where it was: lines of JSON, in files that only grow.

A unit is known by its key, a digest of everything that decides its result (data, split, settings, metric): a key that
is there is a finished unit, and a changed setting is another key. `compare` keeps its units here, and so do the paper's
experiments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from lsgnn.benchmark.recall_by_class import Recall
from lsgnn.config import TrainingConfig
from lsgnn.files import make_folder, safe_name
from lsgnn.graph.digest import digest_of_graph, digest_of_split
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.lines import LineFile, key_of
from lsgnn.train.metrics import Metric


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What one model scored on one split, in percent; `best_epoch` is 0 where nothing is trained.

    Fields with a default came later: lines that were stored without them are still finished units.
    """

    dataset: str
    model: str
    split: int
    metric: Metric
    val: float
    test: float
    best_epoch: int
    epochs: int  # trained before patience or the budget ran out
    seconds: float  # of training and prediction
    prepare_seconds: float  # of what has no parameters, done once for all splits
    num_parameters: int
    config: dict[str, Any] = field(repr=False)
    environment: dict[str, str] = field(default_factory=dict, repr=False)
    cpu_seconds: float | None = None  # of training and prediction, on one thread
    prepare_cpu_seconds: float | None = None
    recall: Recall = ()  # of each class of the test nodes
    code: str = ""  # digest of the model's own code (`model_code`); empty before it was kept

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> Self | None:
        """The unit of a line; None where there is none or it is damaged (it is then computed again)."""
        if stored is None or any(f.name not in stored for f in fields(cls) if f.name not in _LATER):
            return None
        if not isinstance(stored["config"], dict) or not all(_is_number(stored[name]) for name in _NUMBERS):
            return None
        found = {f.name: stored[f.name] for f in fields(cls) if f.name in stored}
        if not (isinstance(found["environment"], dict) and isinstance(found.get("code", ""), str)):
            return None
        recall = found.get("recall", ())
        shares = recall if isinstance(recall, list | tuple) else (recall,)
        if not all(value is None or _is_number(value) for value in (*shares, *(found.get(name) for name in _COSTS))):
            return None
        return cls(**found | {"recall": tuple(shares)})


_NUMBERS = ("split", "val", "test", "best_epoch", "epochs", "seconds", "prepare_seconds", "num_parameters")
_COSTS = ("cpu_seconds", "prepare_cpu_seconds")
_LATER = (*_COSTS, "recall", "code")


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int)


class UnitStore:
    """The units of one graph in a folder, `<graph>/<model>.jsonl`; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None, graph: Graph) -> None:
        self.folder = None if folder is None else make_folder(Path(folder).expanduser() / safe_name(graph.name))
        self._data = digest_of_graph(graph) if folder is not None else ""
        self._files: dict[str, LineFile] = {}

    def key(self, model: str, split: Split, config: TrainingConfig, metric: Metric) -> str:
        return key_of(self._data, digest_of_split(split), model, config.naming_settings, metric)

    def get(self, key: str, model: str, number: int) -> Unit | None:
        """The finished unit, by the number that its split has now; None if there is none."""
        file = self._file(model)
        unit = Unit.of(file.lines().get(key)) if file else None
        return unit and replace(unit, split=number)

    def add(self, key: str, unit: Unit) -> None:
        if file := self._file(unit.model):
            file.add(key, asdict(unit))

    def _file(self, model: str) -> LineFile | None:
        if self.folder is None:
            return None
        return self._files.setdefault(model, LineFile(self.folder / f"{model}.jsonl"))
