"""Thresholds by hand: five validation nodes, two of them positive."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import f1_score

from lsgnn import InputError
from lsgnn.train.decision import Decision, choose_threshold, rule_of

P = np.array([0.9, 0.5, 0.4, 0.3, 0.1])
TRUE = np.array([False, True, False, True, False])


@pytest.mark.parametrize(
    ("rule", "threshold"),
    [
        ("f1", 0.2),  # four are called, two rightly: F1 = 4/6; two called, one rightly: 1/2
        ("recall=0.5", 0.45),  # the higher precision, 1/2, is at two called
        ("recall=0.6", 0.2),
        ("precision=0.5", 0.2),  # at two called and at four; the second recalls more
        ("cost=10:1", 0.2),  # two false ones for no missed one
        ("cost=1:10", 0.95),  # nobody is called: two missed
        (0.7, 0.7),
    ],
)
def test_every_rule(rule, threshold):
    found, note = choose_threshold(P, TRUE, rule)
    assert (found, note) == (pytest.approx(threshold), "")


def test_a_precision_that_cannot_be_reached_gives_the_nearest_and_says_so():
    found, note = choose_threshold(P, TRUE, "precision=0.9")
    assert found == pytest.approx(0.2)
    assert note == "no threshold reaches precision=0.9 on validation nodes: the nearest has precision 0.5"


def test_where_validation_nodes_cannot_tell_it_stays_one_half():
    for true, which in ((np.zeros(5, bool), "no"), (np.ones(5, bool), "every")):
        found, note = choose_threshold(P, true, "f1")
        assert found == 0.5
        assert note == f"{which} validation node is of the positive class: the threshold stays 0.5"


def test_equal_probabilities_stay_together_and_certainty_has_nothing_above_it():
    assert choose_threshold(np.array([0.4, 0.4, 0.2]), np.array([True, False, False]), "f1")[0] == pytest.approx(0.3)
    sure = np.array([1.0, 1.0, 0.5])
    found, _ = choose_threshold(sure, np.array([True, False, False]), "cost=1:100")
    assert Decision(1, found, "f1").predicted(np.stack([1 - sure, sure], axis=1)).tolist() == [1, 1, 0]


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), st.booleans()), min_size=2))
def test_no_other_threshold_has_a_better_f1(rows):
    p, true = (np.array(column) for column in zip(*rows, strict=True))
    if len(np.unique(true)) < 2:
        return
    found, _ = choose_threshold(p, true, "f1")
    best = max(f1_score(true, p >= t) for t in np.unique(p))
    assert f1_score(true, p >= found) == pytest.approx(best)


def test_the_positive_class_may_be_the_first():
    p = np.array([[0.3, 0.7], [0.1, 0.9]])
    assert Decision(0, 0.2, "f1").predicted(p).tolist() == [0, 1]
    assert Decision(1, 0.8, "f1").predicted(p).tolist() == [0, 1]


@given(st.floats(-8, 8), st.floats(0.05, 20), st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]))
def test_calibration_does_not_change_the_decision(margin, temperature, threshold):
    calibrated = Decision(1, threshold, "f1")
    if abs(expit(margin / temperature) - threshold) < 1e-6:
        return  # rounding decides
    p, before = ([[1 - expit(m), expit(m)]] for m in (margin / temperature, margin))
    expected = calibrated.predicted(np.array(p)).tolist()
    if 1e-9 < before[0][1] < 1 - 1e-9:
        assert calibrated.before_calibration(temperature).predicted(np.array(before)).tolist() == expected


def test_rules_are_read_from_words_and_numbers():
    assert rule_of(None, None) is None
    assert rule_of("f1", None) == "f1"
    assert rule_of("0.30", None) == rule_of(0.3, None) == 0.3
    assert rule_of("recall=.8", None) == "recall=0.8"
    assert rule_of(None, "10:1") == rule_of(None, (10, 1)) == "cost=10:1"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("f2", None), "threshold='f2' names no rule: use 'f1', 'precision=0.9'"),
        (("precision=1.5", None), "names no rule"),
        (("=0.5", None), "names no rule"),
        ((1.5, None), "threshold=1.5 names no rule"),
        ((True, None), "threshold=True names no rule"),
        ((float("nan"), None), "names no rule"),
        ((None, "10"), "cost='10' is no ratio FN:FP"),
        ((None, "1:0"), "is no ratio"),
        ((None, (1, 2, 3)), "is no ratio"),
        ((None, 3), "is no ratio"),
        (("f1", "1:1"), "both choose a threshold: pass one of them"),
    ],
)
def test_what_is_no_rule_is_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        rule_of(*arguments)
