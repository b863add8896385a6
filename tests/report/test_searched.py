"""What a search has tried, as axes and importances, counted on trials made by hand."""

from __future__ import annotations

import pytest

from lsgnn.report.searched import Axis, Trial, axes_of, importances, trials_of
from tests.report.tunings import made_by_hand


def test_trials_without_a_score_are_left_out_and_pruned_ones_are_marked() -> None:
    trials = trials_of(made_by_hand())
    assert [t.number for t in trials] == list(range(11))
    assert [t.number for t in trials if not t.complete] == [10]
    assert trials[9].score == pytest.approx(90.09)


def test_only_what_was_varied_is_an_axis() -> None:
    axes = {axis.name: axis for axis in axes_of(trials_of(made_by_hand()))}
    assert set(axes) == {"lr", "beta", "similarity"}  # K was 3 in all of them
    assert axes["beta"].choices == (0.1, 0.9)
    assert axes["similarity"].choices == ("cosine", "euclidean")
    assert axes_of([]) == []


def test_places_on_an_axis() -> None:
    log = Axis("lr", (), 0.001, 0.1, log=True)
    assert [log.place(v) for v in (0.001, 0.01, 0.1)] == pytest.approx([0.0, 0.5, 1.0])
    assert [words for _, words in log.ticks] == ["0.001", "0.01", "0.1"]
    assert [words for _, words in Axis("lr", (), 0.0011, 0.096, log=True).ticks] == ["0.003", "0.01", "0.03"]
    choice = Axis("weights", ("graph", "localsim"))
    assert [choice.place(v) for v in choice.choices] == [0.25, 0.75]
    assert [words for _, words in Axis("epochs", (), 10, 30).ticks] == ["10", "20", "30"]


def test_the_hyperparameter_that_decides_is_the_most_important_one() -> None:
    trials = trials_of(made_by_hand())
    shares = importances(trials, axes_of(trials), "accuracy")
    assert next(iter(shares)) == "beta"
    assert shares["beta"] > 0.8
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares == importances(trials, axes_of(trials), "accuracy")


def test_few_trials_or_equal_scores_say_nothing_about_importance() -> None:
    trials = trials_of(made_by_hand())
    assert importances(trials[:6], axes_of(trials), "accuracy") == {}
    same = [Trial(t.number, t.settings, 50.0, True) for t in trials]
    assert importances(same, axes_of(same), "accuracy") == {}


def test_mixed_kinds_of_values_are_choices() -> None:
    trials = [Trial(k, {"width": v}, float(k), True) for k, v in enumerate([None, 8, "auto", True, 8])]
    (axis,) = axes_of(trials)
    assert set(axis.choices) == {None, 8, "auto", True}
