"""Scores by hand and by scikit-learn, and what cannot be scored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn

from lsgnn import InputError
from lsgnn.train.metrics import (
    METRICS,
    about,
    default_metric,
    displayed,
    judging_nodes,
    measure,
    note_on_metric,
    positive_class,
    shown,
    utility,
    worst,
)

LOGITS = np.array([[2.0, 0.0], [0.0, 1.0], [3.0, 1.0], [0.0, 0.5]], dtype=np.float32)
Y = np.array([0, 1, 1, 1])  # the third is taken for class 0, with the margin of the first


def test_every_score_by_hand() -> None:
    assert measure("accuracy", LOGITS, Y) == 0.75
    assert measure("balanced_accuracy", LOGITS, Y) == pytest.approx((1 + 2 / 3) / 2)
    assert measure("macro_f1", LOGITS, Y) == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert measure("roc_auc", LOGITS, Y) == pytest.approx(2.5 / 3)  # of three pairs two in order, one equal
    assert measure("average_precision", LOGITS, Y) == pytest.approx((1 + 1 + 3 / 4) / 3)
    assert measure("recall_at_k", LOGITS, Y) == pytest.approx(2.5 / 3)  # the third place falls to one of two
    losses = np.log1p(np.exp([-2.0, -1.0, 2.0, -0.5]))
    assert measure("log_loss", LOGITS, Y) == pytest.approx(losses.mean())


def test_the_positive_class_may_be_the_first() -> None:
    """Of class 0 there is one node, which shares the first two places with one of the other class."""
    assert measure("average_precision", LOGITS, Y, positive=0) == 0.5
    assert measure("recall_at_k", LOGITS, Y, positive=0) == 0.5
    assert measure("roc_auc", LOGITS, Y, positive=0) == measure("roc_auc", LOGITS, Y)


# few different values, so that many are equal, and both zeros
margins = st.lists(st.tuples(st.sampled_from([-2.0, -0.5, -0.0, 0.0, 0.5, 3.0]), st.booleans()), min_size=2)


@given(margins.filter(lambda rows: len({truth for _, truth in rows}) == 2))
def test_rankings_are_those_of_scikit_learn(rows: list[tuple[float, bool]]) -> None:
    margin, y = (np.array(column) for column in zip(*rows, strict=True))
    logits = np.stack([np.zeros_like(margin), margin], axis=1).astype(np.float32)
    assert measure("roc_auc", logits, y.astype(int)) == pytest.approx(sklearn.roc_auc_score(y, margin))
    expected = sklearn.average_precision_score(y, margin)
    assert measure("average_precision", logits, y.astype(int)) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true", "ignore:A single label was found")
def test_scores_of_classes_are_those_of_scikit_learn(rows: list[tuple[int, int]]) -> None:
    y, said = (np.array(column) for column in zip(*rows, strict=True))
    logits = np.eye(4, dtype=np.float32)[said]
    assert measure("balanced_accuracy", logits, y) == pytest.approx(sklearn.balanced_accuracy_score(y, said))
    assert measure("macro_f1", logits, y) == pytest.approx(sklearn.f1_score(y, said, average="macro"))


@pytest.mark.parametrize("metric", [name for name, facts in METRICS.items() if facts.two_classes])
def test_rankings_need_two_classes(metric: Any) -> None:
    with pytest.raises(InputError, match=r"needs both classes, but all scored nodes are of class \[1\]"):
        measure(metric, LOGITS, np.ones(4, dtype=np.int64))
    with pytest.raises(InputError, match=f"{about(metric).title} is for two classes, but there are 3"):
        measure(metric, np.zeros((4, 3), dtype=np.float32), np.zeros(4, dtype=np.int64))


def test_a_score_that_does_not_exist_is_told_those_that_do() -> None:
    with pytest.raises(InputError, match="metric='f1' is not a choice: use one of 'accuracy', 'balanced_accuracy'"):
        measure("f1", LOGITS, Y)


def test_of_a_loss_less_is_better_and_it_is_no_percentage() -> None:
    assert (utility("accuracy", 0.75), utility("log_loss", 0.75)) == (0.75, -0.75)
    assert (displayed("accuracy", 0.75), displayed("log_loss", 0.75)) == (75.0, 0.75)
    assert (shown("roc_auc", 0.75), shown("log_loss", 0.75)) == ("75.00 %", "0.7500")
    assert utility("log_loss", 100.0) > worst("log_loss")


def test_the_rarer_of_two_classes_is_positive() -> None:
    assert positive_class(np.array([0, 1, 1, -1, -1])) == 0
    assert positive_class(np.array([0, 0, 1, -1])) == 1
    assert positive_class(np.array([0, 1])) == 1
    assert positive_class(np.array([0, 1, 1, 2, 2])) == 1
    assert positive_class(np.array([1, 1, -1])) == 1


def test_where_one_class_is_nearly_all_accuracy_is_not_the_default() -> None:
    y = np.array([0] * 91 + [1] * 9 + [-1] * 50)
    assert default_metric(y, 2) == "average_precision"
    assert default_metric(y, 3) == "balanced_accuracy"
    assert default_metric(y, 2, known="roc_auc") == "roc_auc"
    assert default_metric(y[1:91], 2) == "average_precision"
    assert default_metric(np.array([0] * 90 + [1] * 10), 2) == "accuracy"
    assert note_on_metric("average_precision", y, ("ok", "fraud")) == (
        "91.0 % of the training and validation nodes are of class 'ok': scored by average precision of 'fraud' instead "
        "of accuracy (metric='average_precision')"
    )
    assert "scored by balanced accuracy instead" in note_on_metric("balanced_accuracy", y, ("ok", "fraud"))
    assert note_on_metric("accuracy", y, ("ok", "fraud")) == ""


def test_where_classes_count_alike_the_rarest_decides_how_much_is_known() -> None:
    y = np.array([0, 0, 0, 0, 1, 0])
    assert judging_nodes("accuracy", y) == 6
    assert judging_nodes("roc_auc", y) == 1
