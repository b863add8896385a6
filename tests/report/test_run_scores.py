import math

import numpy as np
import pytest
from sklearn.metrics import f1_score

from lsgnn.report.run_scores import (
    accuracy_by_degree,
    accuracy_by_homophily,
    class_scores,
    confusion_matrix,
    macro_f1,
    reliability,
)
from lsgnn.train.calibration import expected_calibration_error

Y, PREDICTED = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 0, 1])


def test_confusion_by_hand() -> None:
    assert confusion_matrix(Y, PREDICTED, 4).tolist() == [[2, 1, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_scores_per_class_by_hand() -> None:
    a, b, c, d = class_scores(confusion_matrix(Y, PREDICTED, 4), ("a", "b", "c", "d"))
    assert (a.precision, a.recall, a.f1, a.support) == (
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
        3,
    )
    assert (b.precision, b.recall) == (pytest.approx(1 / 3), 0.5)
    assert math.isnan(c.precision)  # never predicted
    assert (c.recall, c.f1) == (0.0, 0.0)
    assert math.isnan(d.f1)  # does not occur


def test_macro_f1_is_that_of_scikit_learn() -> None:
    scores = class_scores(confusion_matrix(Y, PREDICTED, 4), ("a", "b", "c", "d"))
    assert macro_f1(scores) == pytest.approx(f1_score(Y, PREDICTED, average="macro"))


def test_reliability_bins_add_up_to_the_calibration_error() -> None:
    random = np.random.default_rng(0)
    p = random.dirichlet(np.ones(3), 200)
    y = random.integers(0, 3, 200)
    bins = reliability(p.max(axis=1), p.argmax(axis=1) == y, bins=15)
    ece = sum(b.count * abs(b.confidence - b.accuracy.mean) for b in bins) / 200
    assert ece == pytest.approx(expected_calibration_error(p, y, bins=15))


def test_nodes_without_labelled_neighbours_are_a_bin_of_their_own() -> None:
    bins = accuracy_by_homophily(np.array([0.0, 0.1, 1.0, math.nan]), np.array([True, False, True, False]))
    assert [(b.label, b.count, b.value.mean) for b in bins] == [
        ("0.0–0.2", 2, 0.5),
        ("0.8–1.0", 1, 1.0),
        ("none", 1, 0.0),
    ]


def test_the_few_nodes_of_highest_degree_share_a_bin() -> None:
    degree = np.array([1] * 20 + [3] * 20 + [9] * 8 + [40, 900])
    bins = accuracy_by_degree(degree, np.ones(50, dtype=bool))
    assert [(b.label, b.count) for b in bins] == [("1", 20), ("3–4", 20), ("9+", 10)]


def test_degrees_of_many_orders_of_magnitude_share_bins() -> None:
    degree = np.repeat(2 ** np.arange(12), 10)
    bins = accuracy_by_degree(degree, np.ones(120, dtype=bool))
    assert [(b.label, b.count) for b in bins] == [
        *(("1", 10), ("2", 10), ("3–8", 20), ("9–32", 20), ("33–128", 20), ("129–512", 20), ("513+", 20)),
    ]
