"""One trial of a search: a model with a configuration, trained on each deal and scored on its validation nodes.

A worker runs it and writes what it learned beside the journal; the search reads scores, and only the ensemble at the
end reads weights.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from lsgnn import zoo
from lsgnn.errors import InputError
from lsgnn.files import write_atomically
from lsgnn.graph.splits import Split
from lsgnn.train.metrics import Metric, measure, utility
from lsgnn.train.trained import Epoch, StopTraining, Trained
from lsgnn.zoo.jobs import quick_logits
from lsgnn.zoo.prepared import Prepared

WEIGHTS, LOGITS = "weights.", "val."
AROUND = 3  # epochs before and after the best one


@dataclass(frozen=True)
class Task:
    """What a worker is asked to do.

    Args:
        key: names everything that decides the result.
        bar: what the best trial so far scored on each deal; one that falls far behind it is stopped. May be empty.
        limit: CPU seconds of all its training runs; 0 for none.
    """

    key: str
    model: str
    config: dict[str, Any]
    bar: tuple[float, ...] = ()
    slack: float = 0.0  # how far behind the bar is far
    limit: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """What came of it: a score per deal (higher is better), fewer where it was stopped, none after an error."""

    key: str
    scores: tuple[float, ...]
    cpu_seconds: float
    error: str = ""

    @classmethod
    def of(cls, line: dict[str, Any]) -> Outcome:
        return cls(str(line["key"]), tuple(map(float, line["scores"])), float(line["cpu_seconds"]), str(line["error"]))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def score(self) -> float:
        return float(np.mean(self.scores)) if self.scores else float("-inf")


def run_trial(
    task: Task, prepared: Prepared, deals: Sequence[Split], metric: Metric, positive: int, folder: Path
) -> Outcome:
    """Trains on one deal after the other; of the first, which is the split itself, the weights are kept."""
    begun, scores, kept = time.process_time(), list[float](), dict[str, Tensor]()
    first: Trained | None = None
    try:
        model, y = zoo.get(task.model), prepared.graph.y
        config = model.config.from_dict(task.config)
        for number, deal in enumerate(deals):
            trained = model.train(
                prepared.graph, prepared(model, config), deal, config, on_epoch=_limited(task.limit / len(deals))
            )
            logits = quick_logits(prepared, model, config, trained)[deal.val]
            if not np.isfinite(logits).all():
                raise InputError("the logits are no finite numbers")
            score = measure(metric, logits, y[deal.val], positive)
            scores.append(utility(metric, _steady(metric, trained, score) if model.steps else score))
            kept[f"{LOGITS}{number}"] = torch.from_numpy(np.ascontiguousarray(logits))
            first = first or trained
            if _hopeless(scores, task):
                break
    except (InputError, MemoryError) as error:
        return Outcome(task.key, (), time.process_time() - begun, str(error) or type(error).__name__)
    if first is not None and len(scores) == len(deals):
        kept |= {WEIGHTS + name: tensor.contiguous().clone() for name, tensor in first.state_dict.items()}
        about = {"best_epoch": str(first.best_epoch), "history": json.dumps(first.history)}
        with write_atomically(folder / f"{task.key}.safetensors") as file:
            file.write(save(kept, about | {"seconds": str(first.seconds)}))
    return Outcome(task.key, tuple(scores), time.process_time() - begun)


def _steady(metric: Metric, trained: Trained, measured: float) -> float:
    """What a training run scores around its best epoch, where it was followed from epoch to epoch.

    The best of hundreds of epochs is partly a lucky one, and the more the scores go up and down the luckier. The median
    of the epochs around it tells better what a configuration is worth on other nodes.
    """
    key, best = f"val_{metric}", trained.best_epoch - 1
    around = trained.history[max(0, best - AROUND) : best + AROUND + 1]
    if not around or key not in around[0]:
        return measured
    return float(np.nanmedian([line[key] for line in around]))  # type: ignore[literal-required]


def _limited(seconds: float) -> Any:
    """Ends a training run that has used up its time; the best epoch until then counts."""
    if not seconds:
        return None
    end = time.process_time() + seconds

    def watch(epoch: Epoch) -> None:
        if time.process_time() > end:
            raise StopTraining

    return watch


def _hopeless(scores: Sequence[float], task: Task) -> bool:
    if not task.bar:
        return False
    behind = float(np.mean(task.bar[: len(scores)])) - float(np.mean(scores))
    return behind > task.slack / math.sqrt(len(scores))


def kept_logits(file: Path, deals: int) -> list[NDArray[np.float32]]:
    """Logits on the validation nodes of each deal."""
    try:
        with safe_open(file, "np") as opened:
            return [opened.get_tensor(f"{LOGITS}{number}") for number in range(deals)]
    except (OSError, SafetensorError) as error:
        raise InputError(f"{file} is damaged ({error}): remove the folder, or restore it from a copy") from error


def kept_training(file: Path) -> Trained:
    """The training run on the split itself."""
    with safe_open(file, "pt") as opened:
        about = opened.metadata()
        names = [name for name in opened.keys() if name.startswith(WEIGHTS)]  # noqa: SIM118  (it is no mapping)
        state = {name.removeprefix(WEIGHTS): opened.get_tensor(name) for name in names}
    return Trained(state, int(about["best_epoch"]), json.loads(about["history"]), float(about["seconds"]))
