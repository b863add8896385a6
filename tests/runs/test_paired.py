"""Leads and their standard errors, by hand; noise decides nothing."""

import numpy as np
import pytest

from lsgnn.runs.paired import Judged, simplest_of_the_best
from lsgnn.train.metrics import Metric


def judged(right: list[int], metric: Metric = "accuracy", classes: list[int] | None = None) -> Judged:
    """Logits that are right (1) or wrong (0) on nodes of these classes."""
    y = np.array(classes or [0] * len(right))
    chosen = np.where(np.array(right) == 1, y, 1 - y)
    return Judged(metric, 1, (np.eye(2, dtype=np.float32)[chosen],), (y,))


def test_the_error_of_a_lead_counts_only_nodes_that_differ() -> None:
    a, b = judged([1, 1, 1, 0]), judged([1, 0, 1, 0])
    assert (a.score, b.score) == (0.75, 0.5)
    # differences 0, 1, 0, 0: squares around their mean add up to 3/4; two more nodes might differ
    assert a.error_of_lead(b) == pytest.approx(np.sqrt(0.75 + 2) / 4)


def test_several_splits_are_judged_together() -> None:
    y = np.zeros(2, np.int64)
    right, wrong = np.eye(2, dtype=np.float32)[[0, 0]], np.eye(2, dtype=np.float32)[[1, 1]]
    assert Judged("accuracy", 1, (right, wrong), (y, y)).score == 0.5


def test_other_metrics_resample_the_nodes_class_by_class() -> None:
    y = [0, 0, 0, 0, 1, 1] * 5
    good = judged([1] * 30, "balanced_accuracy", y)
    weak = judged([1, 1, 1, 1, 1, 0] * 5, "balanced_accuracy", y)
    assert weak.score == 0.75
    assert good.error_of_lead(weak) == pytest.approx(0.5 * np.sqrt(0.25 / 10), rel=0.35)
    assert good.error_of_lead(weak) == good.error_of_lead(weak)  # the same nodes every time
    assert judged([1, 1], "log_loss").score > judged([0, 0], "log_loss").score  # higher is better


def test_a_tie_within_the_error_goes_to_the_simpler_and_a_clear_lead_does_not() -> None:
    simple, noisy, clear = judged([1] * 10 + [0] * 10), judged([1] * 11 + [0] * 9), judged([1] * 20)
    assert simplest_of_the_best([simple, noisy]) == 0
    assert simplest_of_the_best([simple, noisy, clear]) == 2
    assert simplest_of_the_best([clear, simple]) == 0
    assert simplest_of_the_best([simple, clear, clear]) == 1
