"""What a `StoredRun` says of itself in `stored_run.json`, every value in its type and range."""

from __future__ import annotations

import math
import sys
from typing import Any

from lsgnn.out_of_core.checks import checked_column_scale
from lsgnn.train.trained import Epoch


def checked_facts(found: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `StoredRun` and its training, but for weights and settings; a ValueError says what is wrong."""
    names = {"num_nodes", "class_names", "metrics", "temperature", "environment", "feature_names", "column_scale"}
    names |= {"best_epoch", "seconds", "history"}
    if missing := sorted(names - found.keys()):
        raise ValueError(f"{missing[0]} is missing")
    if unknown := sorted(found.keys() - names):
        raise ValueError(f"{unknown[0]!r} is not part of a run")
    history = [_epoch(line) for line in _list("history", found["history"])]
    features = _texts("feature_names", found["feature_names"])
    scale = found["column_scale"]
    if scale != {}:
        columns = scale.get("mean") if isinstance(scale, dict) else None
        scale = checked_column_scale(scale, len(columns) if isinstance(columns, list) else 0)
    return {
        "num_nodes": _count("num_nodes", found["num_nodes"]),
        "class_names": tuple(_texts("class_names", found["class_names"])),
        "metrics": {name: _number(name, value) for name, value in _dict("metrics", found["metrics"]).items()},
        "temperature": _positive("temperature", found["temperature"]),
        "environment": {name: str(value) for name, value in _dict("environment", found["environment"]).items()},
        "feature_names": features,
        "column_scale": scale,
        "best_epoch": _count("best_epoch", found["best_epoch"]),
        "seconds": _number("seconds", found["seconds"]),
        "history": history,
    }


def _epoch(line: Any) -> Epoch:
    values = _dict("a line of the history", line)
    score = values.keys() - Epoch.__required_keys__
    if not values.keys() >= Epoch.__required_keys__ or len(score) > 1 or not score <= Epoch.__optional_keys__:
        raise ValueError(f"a line of the history must have {', '.join(sorted(Epoch.__required_keys__))}")
    epoch = Epoch(
        epoch=_count("epoch", values["epoch"]),
        train_loss=_number("train_loss", values["train_loss"]),
        val_loss=_number("val_loss", values["val_loss"]),
        val_accuracy=_number("val_accuracy", values["val_accuracy"]),
    )
    for name in score:
        epoch[name] = _number(name, values[name])  # type: ignore[literal-required]  # one of the optional keys
    return epoch


def _number(name: str, value: Any) -> float:
    """NaN is null in JSON."""
    if value is None:
        return math.nan
    if type(value) not in (int, float):
        raise ValueError(f"{name} is {value!r}, but must be a number")
    if abs(value) > sys.float_info.max:
        raise ValueError(f"{name} is too large for a number")
    return float(value)


def _positive(name: str, value: Any) -> float:
    if not 0 < _number(name, value) < math.inf:
        raise ValueError(f"{name} is {value}, but must be positive and finite")
    return float(value)


def _count(name: str, value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"{name} is {value!r}, but must be a positive whole number")
    return value


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a list")
    return value


def _dict(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be names and values")
    return value


def _texts(name: str, value: Any) -> list[str]:
    if not all(isinstance(item, str) for item in _list(name, value)):
        raise ValueError(f"{name} must be a list of names")
    return list(value)
