"""Where a search writes down what it has done, so that a killed one goes on: a folder of plain files.

`graph.npz` is the graph without labels of test nodes, its deals as splits; `about.json` the metric; `trials.jsonl` a
line per finished trial; `<key>.safetensors` the weights and validation logits of the best of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsgnn.auto.ranking import Trial
from lsgnn.auto.trial import AROUND, Outcome
from lsgnn.auto.worker import ABOUT, GRAPH
from lsgnn.errors import InputError
from lsgnn.files import make_folder, write_atomically
from lsgnn.graph.digest import digest_of_graph, digest_of_split
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split, Splits
from lsgnn.lines import LineFile, key_of
from lsgnn.train.metrics import Metric

KEEP = 48  # trials whose weights stay on disk; the ensemble takes from fewer
LINES = "trials.jsonl"


class Journal:
    """The journal of one search on one graph; a folder with that of another is refused."""

    def __init__(self, folder: Path, graph: Graph, deals: Sequence[Split], metric: Metric, positive: int) -> None:
        self.folder, self.deals = make_folder(folder), len(deals)
        y = deals[0].visible(graph.y)
        blind = replace(graph, y=y, splits=stacked(deals), name="graph", notes=())
        judged = metric, positive, AROUND
        self._decides = key_of(digest_of_graph(blind), [digest_of_split(deal) for deal in deals], *judged)
        about = {"decides": self._decides, "metric": metric, "positive": positive}
        self._require_own(about)
        self._lines = LineFile(self.folder / LINES)
        if not (self.folder / GRAPH).is_file():
            blind.save(self.folder / GRAPH)
        with write_atomically(self.folder / ABOUT) as file:
            file.write(json.dumps(about).encode("utf-8"))

    def _require_own(self, about: dict[str, Any]) -> None:
        file = self.folder / ABOUT
        if not file.is_file():
            if any(self.folder.iterdir()):
                raise InputError(f"{self.folder} holds other files: choose a new or empty folder for the search")
            return
        try:
            known = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{file} is damaged ({error}): choose another folder, or remove it") from error
        if known != about:
            raise InputError(
                f"{self.folder} holds a search on other data or splits, by another metric or of another version: "
                "repeat those, or choose another folder"
            )

    def key(self, model: str, config: Any, limit: float = 0.0) -> str:
        return key_of(self._decides, model, config.to_dict(), limit)

    def known(self, key: str) -> Outcome | None:
        """The outcome of a finished trial; None where there is none, or it is damaged."""
        line = self._lines.lines().get(key)
        try:
            return None if line is None else Outcome.of(line | {"key": key})
        except (KeyError, TypeError, ValueError):
            return None

    def add(self, outcome: Outcome) -> None:
        self._lines.add(outcome.key, {name: value for name, value in outcome.to_dict().items() if name != "key"})

    def file(self, key: str) -> Path:
        return self.folder / f"{key}.safetensors"

    def keep_best(self, order: Sequence[Trial]) -> None:
        """Of complete trials, the best first, removes the weights of all but the first and each model's best one."""
        best_of_model = {trial.model: trial.outcome.key for trial in reversed(order)}
        kept = {trial.outcome.key for trial in order[:KEEP]} | set(best_of_model.values())
        for trial in order[KEEP:]:
            if trial.outcome.key not in kept:
                self.file(trial.outcome.key).unlink(missing_ok=True)

    def has(self, trial: Trial) -> bool:
        """True if the weights of a trial are still there."""
        return self.file(trial.outcome.key).is_file()


def stacked(deals: Sequence[Split]) -> Splits:
    import numpy as np

    return Splits(*(np.stack([getattr(deal, part) for deal in deals]) for part in ("train", "val", "test")))
