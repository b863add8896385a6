"""The histories of a run's members as lines of JSON, one per member and epoch; what no training writes is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from lsgnn.files import plain
from lsgnn.train.trained import Epoch

OWN = {"member", *Epoch.__required_keys__}


def write_history(histories: Sequence[Sequence[Epoch]]) -> str:
    """JSON has no NaN or infinity, and a line that other tools refuse to read is of no use: they become null."""
    lines = ({"member": m, **epoch} for m, history in enumerate(histories) for epoch in history)
    return "".join(json.dumps(plain(line)) + "\n" for line in lines)


def read_history(text: str, members: int) -> list[list[Epoch]]:
    """The way back, one list per member; null is NaN again. Raises `ValueError` for what cannot have happened."""
    if not members:
        raise ValueError("there is no member")
    histories: list[list[Epoch]] = [[] for _ in range(members)]
    for number, line in enumerate(text.splitlines(), start=1):
        entry = json.loads(line)
        score = entry.keys() - OWN if isinstance(entry, dict) and entry.keys() >= OWN else {""}
        if len(score) > 1 or not score <= Epoch.__optional_keys__:
            raise ValueError(f"line {number} is not the record of an epoch")
        if type(entry["member"]) is not int or not 0 <= entry["member"] < members:
            raise ValueError(f"line {number} is of member {entry['member']}, but there are {members}")
        history = histories[entry["member"]]
        if type(entry["epoch"]) is not int or entry["epoch"] != len(history) + 1:
            raise ValueError(f"line {number} is of epoch {entry['epoch']} in place of {len(history) + 1}")
        epoch = Epoch(
            epoch=entry["epoch"],
            train_loss=_loss(entry["train_loss"], number),
            val_loss=_loss(entry["val_loss"], number),
            val_accuracy=_share(entry["val_accuracy"], "accuracy", number),
        )
        for name in score:  # NaN where the loss was not finite
            value = math.nan if entry[name] is None else _share(entry[name], name, number)
            epoch[name] = value  # type: ignore[literal-required]  # one of the optional keys
        history.append(epoch)
    return histories


def at_least_zero(value: Any) -> float:
    """A finite number that is not negative, as times and losses are."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError(f"{value!r} is not a finite number of at least 0")
    return float(value)


def _loss(value: Any, number: int) -> float:
    try:
        return math.nan if value is None else at_least_zero(value)
    except ValueError as error:
        raise ValueError(f"a loss in line {number}: {error}") from None


def _share(value: Any, name: str, number: int) -> float:
    if at_least_zero(value) > 1:
        raise ValueError(f"the {name} in line {number} is {value}")
    return float(value)
