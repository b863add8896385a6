"""A run in numbers and names: what `--json` prints and `metrics.json` holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsgnn.runs.run import Run


def summary_of(run: Run) -> dict[str, Any]:
    return {
        "graph": run.graph.name,
        "model": run.model,
        "metric": run.metric,
        "decision": None if run.decision is None else asdict(run.decision),
        "metrics": run.metrics,
        "temperature": run.temperature,
        "best_epoch": run.trained.best_epoch,
        "epochs": len(run.trained.history),
        "members": len(run.members),
        "seconds": run.seconds,
        "notes": list(run.notes),
        "columns": [] if run.graph.columns is None else run.graph.columns.rows(),
        "tried": [asdict(row) for row in run.tried],
        "environment": run.environment,
    }
