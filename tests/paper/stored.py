"""Stored results for tests of tables: units of the zoo as `compare --store` leaves them."""

from pathlib import Path
from typing import Any

from lsgnn.benchmark.units import Unit
from lsgnn.lines import LineFile, key_of


def add_zoo_unit(
    root: Path, dataset: str, model: str, split: int, test: float, val: float = 50.0, code: str = "", **config: Any
) -> None:
    scores = dict(metric="accuracy", val=val, test=test)
    costs = dict(best_epoch=1, epochs=1, seconds=0.0, prepare_seconds=0.0, num_parameters=1)
    unit = Unit(dataset=dataset, model=model, split=split, config=config or {"lr": 0.1}, code=code, **scores, **costs)
    LineFile(root / "zoo" / dataset / f"{model}.jsonl").add(key_of(model, split, unit.config), vars(unit))
