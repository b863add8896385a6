import numpy as np
import pytest

from lsgnn.report.scoring import chance_of, scoring_of

RARE = np.array([0] * 49 + [1] + [-1] * 50)


def test_a_rare_class_is_looked_for_and_chance_is_its_share() -> None:
    found = scoring_of(RARE, ("ok", "fraud"), "average_precision")
    assert (found.positive, found.chance, found.unbalanced) == (1, 0.02, True)
    assert found.title == "average precision of fraud"
    assert scoring_of(1 - RARE[:50], ("fraud", "ok"), "roc_auc").positive == 0


def test_balanced_classes_are_called_so() -> None:
    assert not scoring_of(np.array([0, 1, 0, 1]), ("a", "b"), "accuracy").unbalanced


def test_chance_by_hand() -> None:
    y = np.array([0, 0, 0, 1])
    assert chance_of("average_precision", y, 1) == 0.25
    assert chance_of("roc_auc", y, 1) == 0.5
    assert chance_of("balanced_accuracy", np.array([0, 1, 2]), 1) == pytest.approx(1 / 3)
    assert chance_of("accuracy", y, 1) is None
    assert chance_of("roc_auc", y[:0], 1) is None
