"""The scores of a `Run` on each part of its split, as `Run.metrics` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from lsgnn.train.calibration import expected_calibration_error
from lsgnn.train.decision import Decision
from lsgnn.train.metrics import Metric, about, measure
from lsgnn.train.trained import Trained

if TYPE_CHECKING:
    from lsgnn.runs.run import Run


class Scored(Protocol):
    """A run with scores, whichever way its graph is kept."""

    @property
    def members(self) -> tuple[Trained, ...]: ...

    @property
    def metric(self) -> Metric: ...

    @property
    def decision(self) -> Decision | None: ...

    @property
    def metrics(self) -> dict[str, float]: ...


def metrics_of(run: Run) -> dict[str, float]:
    """Name → score, raw; a part without labelled nodes has none."""
    out: dict[str, float] = {}
    predictions = {calibrated: run.predict(calibrated=calibrated) for calibrated in (True, False)}
    # by logits, where rounding cannot make two classes equal
    predicted = run.logits.argmax(axis=1) if run.decision is None else predictions[True].predicted
    for part in ("train", "val", "test"):
        rows = getattr(run.split, part) & run.graph.labelled
        if not rows.any():
            continue
        logits, y = run.logits[rows], run.graph.y[rows]
        out[f"{part}_loss"] = float(torch.nn.functional.cross_entropy(torch.from_numpy(logits), torch.from_numpy(y)))
        out[f"{part}_accuracy"] = float((predicted[rows] == y).mean())
        if run.metric != "accuracy" and (not about(run.metric).two_classes or len(np.unique(y)) == 2):
            # what is said counts, and what is ranked or believed stays as it is
            of_classes = run.metric in ("balanced_accuracy", "macro_f1")
            scored = np.eye(run.graph.num_classes, dtype=np.float32)[predicted[rows]] if of_classes else logits
            out[f"{part}_{run.metric}"] = measure(run.metric, scored, y, run.positive)
        if part == "train":
            continue
        if run.decision is not None:
            found = of_positive(predicted[rows] == run.positive, y == run.positive)
            out |= {f"{part}_{name}": value for name, value in found.items()}
        for key, calibrated in (("ece", True), ("ece_uncalibrated", False)):
            out[f"{part}_{key}"] = expected_calibration_error(predictions[calibrated].probabilities[rows], y)
    if metric := one_member_metric(run):
        scores = [member.history[member.best_epoch - 1][f"val_{metric}"] for member in run.members]  # type: ignore[literal-required]
        out[f"val_{metric}_one_member"] = float(np.mean(scores))
    return out


def of_positive(called: NDArray[np.bool_], true: NDArray[np.bool_]) -> dict[str, float]:
    """Precision, recall and F1 of the positive class; none where there is no positive node, 0 where none is called."""
    if not true.any():
        return {}
    hits = int((called & true).sum())
    return {
        "precision": hits / max(1, int(called.sum())),
        "recall": hits / int(true.sum()),
        "f1": 2 * hits / int(called.sum() + true.sum()),
    }


def ensemble_gain(run: Scored) -> float:
    """By how many points on validation nodes the ensemble is ahead of one member; 0 for a single one."""
    if (metric := one_member_metric(run)) is None:
        return 0.0
    return 100 * (run.metrics[f"val_{metric}"] - run.metrics[f"val_{metric}_one_member"])


def one_member_metric(run: Scored) -> Metric | None:
    """What the members of an ensemble can be compared with it by: their histories must have it, and a threshold, which
    only the ensemble has, must play no part."""
    if len(run.members) == 1 or not all(member.history for member in run.members):
        return None
    recorded = all(f"val_{run.metric}" in epoch for member in run.members for epoch in member.history[:1])
    metric = run.metric if recorded else "accuracy"
    return metric if run.decision is None or about(metric).two_classes else None
