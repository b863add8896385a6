import numpy as np
import pytest
from sklearn import metrics

from lsgnn.report.ranking import (
    MAX_POINTS,
    cut,
    cuts,
    lift_table,
    precision_recall_curve,
    rankable,
    roc_curve,
)

SCORE = np.array([0.9, 0.8, 0.8, 0.3, 0.1])
POSITIVE = np.array([True, False, True, False, False])


def test_precision_and_recall_by_hand() -> None:
    curve = precision_recall_curve(SCORE, POSITIVE)
    assert curve.xs == (0.0, 0.5, 1.0, 1.0, 1.0)
    assert curve.ys == pytest.approx((1.0, 1.0, 2 / 3, 0.5, 0.4))
    assert curve.area == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)
    assert curve.chance == 0.4


def test_roc_by_hand() -> None:
    curve = roc_curve(SCORE, POSITIVE)
    assert curve.xs == pytest.approx((0.0, 0.0, 1 / 3, 2 / 3, 1.0))
    assert curve.ys == (0.0, 0.5, 1.0, 1.0, 1.0)
    assert curve.area == pytest.approx((3 + 2.5) / 6)  # of six pairs one is a tie
    assert curve.chance == 0.5


def test_areas_are_those_of_scikit_learn_and_curves_stay_small() -> None:
    random = np.random.default_rng(0)
    positive = random.random(20_000) < 0.02
    score = random.standard_normal(20_000) + positive
    precision_recall, roc = precision_recall_curve(score, positive), roc_curve(score, positive)
    assert precision_recall.area == pytest.approx(metrics.average_precision_score(positive, score))
    assert roc.area == pytest.approx(metrics.roc_auc_score(positive, score))
    assert max(len(precision_recall.xs), len(roc.xs)) <= MAX_POINTS + 1
    assert (roc.xs[-1], roc.ys[-1], precision_recall.xs[-1]) == (1.0, 1.0, 1.0)


def test_a_cut_counts_all_four_kinds() -> None:
    at = cut(SCORE, POSITIVE, 0.3)
    assert (at.true_positives, at.false_positives, at.false_negatives, at.true_negatives) == (2, 2, 0, 1)
    assert (at.flagged, at.precision, at.recall, at.f1) == (4, 0.5, 1.0, pytest.approx(2 / 3))


def test_cuts_hold_the_threshold_asked_for_among_a_bounded_number() -> None:
    assert [one.threshold for one in cuts(SCORE, POSITIVE, at=[0.5])] == [0.9, 0.8, 0.5, 0.3, 0.1]
    random = np.random.default_rng(0)
    many = cuts(random.random(20_000), random.random(20_000) < 0.5, at=[0.123])
    assert len(many) <= MAX_POINTS
    assert 0.123 in [one.threshold for one in many]
    assert many[-1].flagged == 20_000


def test_nobody_flagged_has_no_precision() -> None:
    nobody = cut(SCORE, POSITIVE, 0.95)
    assert np.isnan(nobody.precision)
    assert (nobody.recall, nobody.f1) == (0.0, 0.0)


def test_lift_over_chance_with_ties_at_their_expectation() -> None:
    one, two = lift_table(SCORE, POSITIVE, shares=(0.2, 0.4))
    assert (one.nodes, one.positives, one.precision, one.recall, one.lift) == (1, 1.0, 1.0, 0.5, 2.5)
    assert (two.nodes, two.positives) == (2, 1.5)  # one of the two nodes with 0.8, of which one is of the class
    assert two.lift == pytest.approx(0.75 / 0.4)


def test_shares_of_the_same_nodes_are_told_once() -> None:
    assert [row.nodes for row in lift_table(SCORE, POSITIVE)] == [1]


def test_one_class_alone_has_no_order() -> None:
    assert rankable(POSITIVE)
    assert not rankable(np.zeros(3, dtype=bool))
    assert not rankable(np.ones(3, dtype=bool))
