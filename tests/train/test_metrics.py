"""Scores by hand, and what cannot be scored."""

from __future__ import annotations

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.train.metrics import measure

LOGITS = np.array([[2.0, 0.0], [0.0, 1.0], [3.0, 1.0], [0.0, 0.5]], dtype=np.float32)


def test_the_three_scores_by_hand() -> None:
    y = np.array([0, 1, 1, 1])  # the third is taken for class 0, with the score of the first
    assert measure("accuracy", LOGITS, y) == 0.75
    assert measure("macro_f1", LOGITS, y) == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert measure("roc_auc", LOGITS, y) == pytest.approx(2.5 / 3)  # of three pairs two in order, one equal


def test_roc_auc_needs_both_classes() -> None:
    with pytest.raises(InputError, match=r"needs both classes, but all scored nodes are of class \[1\]"):
        measure("roc_auc", LOGITS, np.ones(4, dtype=np.int64))
    with pytest.raises(InputError, match="is for two classes, but there are 3"):
        measure("roc_auc", np.zeros((4, 3), dtype=np.float32), np.zeros(4, dtype=np.int64))


def test_a_score_that_does_not_exist_is_told_those_that_do() -> None:
    with pytest.raises(InputError, match="metric='f1' is not a choice: use one of 'accuracy', 'roc_auc', 'macro_f1'"):
        measure("f1", LOGITS, np.array([0, 1, 1, 1]))
