"""Rows of a board typed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsgnn.benchmark.comparison import Row
from lsgnn.benchmark.units import Unit


def row_of(model: str, val: Sequence[float], test: Sequence[float] | None = None, cpu: float | None = 1.0, **more: Any):
    """A model with these scores per split; `cpu` seconds in all."""
    units = [
        Unit(
            dataset="d",
            model=model,
            split=s,
            metric="accuracy",
            val=val[s],
            test=(test or val)[s],
            best_epoch=1,
            epochs=1,
            seconds=9.0,
            prepare_seconds=0.0,
            num_parameters=1234,
            config={"lr": 0.1},
            cpu_seconds=None if cpu is None else cpu / len(val),
            prepare_cpu_seconds=None if cpu is None else 0.0,
            **more,
        )
        for s in range(len(val))
    ]
    return Row(model, model.upper(), tuple(units))
