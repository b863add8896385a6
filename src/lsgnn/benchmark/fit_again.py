"""The chosen model once more: the command line, or the call in Python, that fits it with the same hyperparameters."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any


def command_that_fits(graph: str, model: str, changes: Mapping[str, Any]) -> str:
    """The command line that trains a model with these hyperparameters; `graph` as words of a command line.

    >>> command_that_fits("debian", "gcn", {"lr": 0.05, "direction": "out", "bias": True})
    'lsgnn fit debian --model gcn --set lr=0.05 --set direction=out --set bias=true'
    """
    settings = [f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in changes.items()]
    return " ".join(["lsgnn fit", graph, "--model", model, *(f"--set {shlex.quote(setting)}" for setting in settings)])


def call_that_fits(model: str, changes: Mapping[str, Any]) -> str:
    """The same in Python.

    >>> call_that_fits("gcn", {"lr": 0.05})
    'lsgnn.fit(graph, model="gcn", lr=0.05)'
    """
    return (
        f"lsgnn.fit({', '.join(['graph', f'model={json.dumps(model)}', *(f'{n}={v!r}' for n, v in changes.items())])})"
    )
