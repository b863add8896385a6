"""Units of a comparison: one model on one split, kept as a small JSON file, so that a killed run goes on where it was.

A unit's file is named after everything that decides its result (data, split, settings, metric): an existing file is a
finished unit, and a changed setting is another file.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.config import TrainingConfig
from lsgnn.files import make_folder, safe_name, write_json
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.train.metrics import Metric


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What one model scored on one split, in percent; `best_epoch` is 0 where nothing is trained."""

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


class UnitStore:
    """A folder of unit files, `<dataset>/<model>-split<number>-<digest>.json`; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None, graph: Graph) -> None:
        self.folder = None if folder is None else Path(folder) / safe_name(graph.name)
        self._data = digest_of_graph(graph) if folder is not None else ""

    def path(self, model: str, number: int, split: Split, config: TrainingConfig, metric: Metric) -> Path | None:
        if self.folder is None:
            return None
        decides = json.dumps([self._data, digest_of_split(split), model, config.to_dict(), metric], sort_keys=True)
        digest = hashlib.sha256(decides.encode()).hexdigest()[:10]
        return self.folder / f"{safe_name(model)}-split{number}-{digest}.json"

    @staticmethod
    def load(path: Path | None) -> Unit | None:
        """The unit in that file; None where there is none or the file is not one (it is then computed again)."""
        if path is None or not path.is_file():
            return None
        try:
            content = json.loads(path.read_text("utf-8"))
            return Unit(**{f.name: content[f.name] for f in fields(Unit)})
        except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
            return None

    @staticmethod
    def save(path: Path | None, unit: Unit) -> None:
        if path is not None:
            make_folder(path.parent)
            write_json(path, asdict(unit))


def digest_of_split(split: Split) -> list[str]:
    masks = (split.train, split.val, split.test)
    return [hashlib.sha256(np.packbits(mask).tobytes()).hexdigest() for mask in masks]


def digest_of_graph(graph: Graph) -> str:
    x: Any = graph.x
    parts = [x.data, x.indices, x.indptr] if sp.issparse(x) else [x]
    parts += [graph.edge_index, graph.y]
    if graph.edge_weight is not None:
        parts.append(graph.edge_weight)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(str((part.dtype, part.shape)).encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
