"""What a `StoredRun` says of itself in `stored_run.json`, every value in its type and range."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection
from typing import Any

from lsgnn.out_of_core.checks import checked_column_scale
from lsgnn.runs.tried import Tried
from lsgnn.train.decision import decision_of
from lsgnn.train.metrics import about
from lsgnn.train.trained import Epoch

FACTS = (  # of a `StoredRun`, as its fields are called
    *("num_nodes", "class_names", "metrics", "temperature", "environment", "feature_names", "column_scale"),
    *("metric", "positive", "decision", "notes", "tried"),
)
OF_MEMBER = ("best_epoch", "seconds", "history")
# what runs of version 0.2 do not say
YOUNGER: dict[str, Any] = {"metric": "accuracy", "positive": 1, "decision": None, "notes": [], "tried": []}


def checked_facts(found: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The fields of a `StoredRun`, and of the training of each member, but for weights and settings.

    A ValueError says what is wrong.
    """
    if "members" not in found:  # as version 0.2 wrote it: one member, among the rest
        found = YOUNGER | found
        found["members"] = [{name: found.pop(name) for name in OF_MEMBER if name in found}]
    _require_names(found, (*FACTS, "members"))
    members = [_member(_dict("a member", member)) for member in _list("members", found["members"])]
    if not members:
        raise ValueError("there is no member")
    scale = found["column_scale"]
    if scale != {}:
        columns = scale.get("mean") if isinstance(scale, dict) else None
        scale = checked_column_scale(scale, len(columns) if isinstance(columns, list) else 0)
    if found["positive"] not in (0, 1):
        raise ValueError(f"positive is {found['positive']!r}, but must be 0 or 1")
    facts = {
        "num_nodes": _count("num_nodes", found["num_nodes"]),
        "class_names": tuple(_texts("class_names", found["class_names"])),
        "metrics": {name: _number(name, value) for name, value in _dict("metrics", found["metrics"]).items()},
        "temperature": _positive("temperature", found["temperature"]),
        "environment": {name: str(value) for name, value in _dict("environment", found["environment"]).items()},
        "feature_names": _texts("feature_names", found["feature_names"]),
        "column_scale": scale,
        "metric": about(found["metric"]).name,
        "positive": int(found["positive"]),
        "decision": _of_damaged("decision", lambda: decision_of(found["decision"])),
        "notes": tuple(_texts("notes", found["notes"])),
        "tried": _of_damaged("tried", lambda: tuple(Tried.of(row) for row in found["tried"])),
    }
    return facts, members


def _member(found: dict[str, Any]) -> dict[str, Any]:
    _require_names(found, OF_MEMBER)
    return {
        "best_epoch": _count("best_epoch", found["best_epoch"]),
        "seconds": _number("seconds", found["seconds"]),
        "history": [_epoch(line) for line in _list("history", found["history"])],
    }


def _require_names(found: dict[str, Any], names: Collection[str]) -> None:
    if missing := sorted(set(names) - found.keys()):
        raise ValueError(f"{missing[0]} is missing")
    if unknown := sorted(found.keys() - set(names)):
        raise ValueError(f"{unknown[0]!r} is not part of a run")


def _of_damaged(name: str, read: Callable[[], Any]) -> Any:
    """What is read of a value, whatever it is."""
    try:
        return read()
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{name} is not as a run has it") from error


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
