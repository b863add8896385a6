"""The page of a search: its sentences agree with its numbers, and it never fails for want of trials."""

from __future__ import annotations

from dataclasses import replace

from lsgnn.report import tuning_page
from lsgnn.report.charts.slopes import _apart
from lsgnn.report.page_of_tuning import what_rescoring_changed
from lsgnn.report.searched import trials_of
from lsgnn.report.tuning_charts import score_limits
from tests.report.tunings import made_by_hand


def test_the_page_tells_what_rescoring_changed() -> None:
    first, second = what_rescoring_changed(made_by_hand(), "accuracy")
    assert first == "The search's best, trial 9, had 90.09 %; trained again with fresh seeds it has 88.25 %."
    assert second == (
        "Chosen is trial 7, number 2 of the search, which has 89.50 % with fresh seeds (90.07 % in the search)."
    )
    tuning = made_by_hand()
    kept = replace(tuning, rescored=[tuning.rescored[1], tuning.rescored[0], tuning.rescored[2]])
    assert what_rescoring_changed(kept, "accuracy")[1] == ("It stays ahead of the 2 other re-scored trials: chosen.")
    alone = replace(tuning, rescored=tuning.rescored[1:2])
    assert what_rescoring_changed(alone, "accuracy")[1] == "No other trial was re-scored: chosen."


def test_the_page_has_every_section() -> None:
    page = tuning_page(made_by_hand(), dataset="texas", storage="my study.db", command="lsgnn fit texas --set lr=0.01")
    for words in (
        "texas: tuning of LSGNN",
        "<b>89.50 %</b>",
        "10 complete, 2 pruned or diverged",
        "lsgnn fit texas --set lr=0.01",
        "History of the search",
        "Importance of hyperparameters",
        "Scores by beta",
        "Parallel coordinates",
        "optuna-dashboard &#39;sqlite:///my study.db&#39;",
        "test nodes were not read",
    ):
        assert words in page, words
    assert page.index("Scores by beta") < page.index("Scores by lr")  # the most important one first


def test_a_search_of_one_trial_has_a_page() -> None:
    tuning = made_by_hand()
    page = tuning_page(
        replace(tuning, trials=tuning.trials[7:8], rescored=tuning.rescored[:1]), dataset="g", metric="log_loss"
    )
    assert "Too few complete trials" in page
    assert "Parallel coordinates" not in page
    assert "kept in memory" in page


def test_names_of_a_search_are_text() -> None:
    evil = "<script>alert(1)</script>"
    page = tuning_page(made_by_hand(evil), dataset=evil, storage=evil, command=evil)
    assert evil not in page
    assert page.count("<script>") == 1


def test_trials_far_behind_do_not_flatten_the_others() -> None:
    trials = trials_of(made_by_hand())
    worse = [replace(trials[0], score=1.0), *trials[1:]]
    assert score_limits(worse, "accuracy")[0] > 40
    low, high = score_limits(trials, "log_loss")  # a loss: the lowest is best, and must be on the axis
    assert low < 80.0 < high


def test_words_beside_a_slope_do_not_touch() -> None:
    moved = _apart([10.0, 11.0, 12.0, 200.0], 0.0, 205.0)
    assert moved[0] == 10.0
    assert moved[1:] == [23.0, 36.0, 200.0]
    squeezed = _apart([100.0, 100.0, 100.0], 0.0, 101.0)
    assert max(squeezed) <= 101.0
    assert sorted(squeezed) == [75.0, 88.0, 101.0]
