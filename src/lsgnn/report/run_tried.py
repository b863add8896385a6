"""What was tried before a run, for its page: candidates of the probe, and the models of an automatic choice."""

from __future__ import annotations

from typing import Any

from lsgnn.report.page import percent, table
from lsgnn.runs.run import Run
from lsgnn.train.metrics import Metric, about, shown, utility


def tried_of(run: Run) -> dict[str, Any] | None:
    """Rows of `run.tried` (stage, candidate, score, taken), in their order; None where nothing was tried."""
    rows = run.tried
    if not rows:
        return None
    cells = [[row.stage, row.candidate, _score(run.metric, row.score), "taken" if row.taken else ""] for row in rows]
    by = about(run.metric).title
    return {"by": by, "table": table(["hyperparameter", "candidate", f"validation {by}", ""], cells, words=(0, 1, 3))}


def models_of(run: Run) -> dict[str, Any] | None:
    """Rows of `run.board` (model, title, configuration, val, share, seconds), best first; None without a board."""
    rows = getattr(run, "board", ())
    if not rows:
        return None
    cells = [
        [
            row.title,
            ", ".join(f"{name}={value}" for name, value in row.configuration.items()) or "default",
            _score(run.metric, row.val),
            (percent(row.share, 0), row.share),
            (f"{row.seconds:.1f} s", row.seconds),
        ]
        for row in rows
    ]
    by = about(run.metric).title
    heads = ["model", "configuration", f"validation {by}", "share", "seconds"]
    return {"by": by, "table": table(heads, cells, words=(0, 1))}


def _score(metric: Metric, value: float) -> tuple[str, float]:
    return shown(metric, utility(metric, value)), value
