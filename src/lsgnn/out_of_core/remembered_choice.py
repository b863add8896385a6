"""What a probe has chosen, kept beside a training run: should it be killed, the same call need not choose again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.files import plain
from lsgnn.out_of_core.records import read_sealed, write_sealed
from lsgnn.runs.probe import Choice
from lsgnn.runs.tried import Tried
from lsgnn.train.metrics import Metric

Chosen = tuple[LSGNNConfig, Choice | None]
FIX = "remove it, and the choice is made anew"


def remembered(file: Path | None, decides: Any, metric: Metric, choose: Callable[[], Chosen]) -> Chosen:
    """What was chosen before, if it was for the same reasons (`decides`); else what is chosen now, and kept."""
    if file is None:
        return choose()
    decides = plain(decides)
    if file.exists() and (found := read_sealed(file, FIX)).get("decides") == decides:
        try:
            tried = tuple(Tried.of(row) for row in found["tried"])
            choice = Choice(found["chosen"], tried, metric) if tried else None
            return LSGNNConfig.from_dict(found["config"]), choice
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{file} is damaged ({error}): {FIX}") from error
    config, choice = choose()
    tried = () if choice is None else choice.tried
    document = {"decides": decides, "config": config.to_dict(), "tried": [asdict(row) for row in tried]}
    write_sealed(file, document | {"chosen": {} if choice is None else choice.settings})
    return config, choice
