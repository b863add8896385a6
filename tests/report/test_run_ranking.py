import numpy as np
import pytest

from lsgnn.report.run_ranking import RankedPart, ranking_section, rule_in_words

SCORE = np.array([0.9, 0.8, 0.7, 0.3, 0.1])
VAL = RankedPart("validation", SCORE, np.array([True, False, True, False, False]))
TEST = RankedPart("test", SCORE, np.array([True, True, False, False, False]))
NOBODY = RankedPart("validation", SCORE, np.zeros(5, dtype=bool))


def test_the_slider_starts_at_the_threshold_of_the_run() -> None:
    section = ranking_section([VAL, TEST], "fraud", threshold=0.75)
    slider = section["slider"]
    assert slider["rows"][slider["start"]] == [0.75, 1, 1]
    assert (slider["positives"], slider["negatives"]) == (2, 3)
    assert [row[0] for row in slider["rows"]] == [0.9, 0.8, 0.75, 0.7, 0.3, 0.1]


def test_a_table_says_the_same_without_a_script() -> None:
    rows = ranking_section([VAL, TEST], "fraud", threshold=0.75)["thresholds"]["rows"]
    own = next(row for row in rows if row[0][0] == "0.7500 (this run)")
    assert [text for text, _ in own[1:]] == ["2", "1", "1", "1", "50.0 %", "50.0 %", "50.0 %"]


def test_curves_name_both_parts_with_their_areas_and_lift_is_of_test_nodes() -> None:
    section = ranking_section([VAL, TEST], "fraud", threshold=0.5)
    assert "validation: AP 83.3 %" in section["charts"]["precision_recall"]
    assert "test: AP 100.0 %" in section["charts"]["precision_recall"]
    assert "validation: area 83.3 %" in section["charts"]["roc"]
    assert section["lift_part"] == "test"
    assert [text for text, _ in section["lift"]["rows"][0]] == ["top 1 %", "1", "1", "100.0 %", "50.0 %", "2.5 ×"]


def test_a_part_without_the_class_is_left_out() -> None:
    section = ranking_section([NOBODY, TEST], "fraud", threshold=0.5)
    assert section["slider"] is None
    assert "validation" not in section["charts"]["roc"]
    assert ranking_section([NOBODY], "fraud", threshold=0.5) is None


@pytest.mark.parametrize("threshold", [0.0, 0.3, 2.0])
def test_any_threshold_has_its_place(threshold: float) -> None:
    slider = ranking_section([VAL], "fraud", threshold)["slider"]
    assert slider["rows"][slider["start"]][0] == threshold


def test_rules_are_told_in_words() -> None:
    assert "highest F1" in rule_in_words("f1")
    assert "precision of 0.9 or more" in rule_in_words("precision=0.9")
    assert "as 10:1" in rule_in_words("cost=10:1")
    assert "one half" in rule_in_words("")
