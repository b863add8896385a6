from dataclasses import replace

import numpy as np
import pytest

from lsgnn.report.run_headline import headline, lead, score_of
from lsgnn.train.metrics import measure
from tests.trained import small_run

LOGITS = np.array([[0, 3], [1, 0], [2, 0], [0, 1], [3, 0]] * 20, dtype=np.float32)
Y = np.array([1, 0, 0, 0, 1] * 20)


def test_accuracy_has_wilsons_interval_and_other_scores_that_of_resampled_nodes() -> None:
    accuracy = score_of("accuracy", LOGITS, Y, 1, 0.6)
    assert accuracy.interval == pytest.approx((0.502, 0.691), abs=1e-3)
    value = measure("average_precision", LOGITS, Y, 1)
    found = score_of("average_precision", LOGITS, Y, 1, value)
    assert found.mean == value
    assert found.low < value < found.high
    assert 0.1 < found.high - found.low < 0.4


def test_a_score_that_is_not_defined_has_no_interval() -> None:
    assert score_of("roc_auc", LOGITS, Y, 1, None) is None


def test_the_line_below_the_title_tells_the_best_epoch_or_what_an_ensemble_gains_and_by_which_score() -> None:
    run = small_run(epochs=3)
    assert lead(run) == f"40 nodes, 150 edges, 3 classes; best epoch {run.trained.best_epoch} of 3"
    both = replace(small_run(epochs=3, members=2), metric="log_loss")
    assert lead(both).startswith("40 nodes, 150 edges, 3 classes; ensemble of 2 seeds: validation accuracy ")
    assert headline(both, "val", both.predict().predicted)["loss"] is None  # it is the score itself
